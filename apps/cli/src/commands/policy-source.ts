import { basename } from 'node:path';
import type { CliIo } from '../cli-io.js';
import { UsageError } from '../usage-error.js';
import { readSmallLocal } from './content-source.js';

/** Policies that ship with Retrace; the policy service knows their text. */
export const PRESETS = ['strict', 'team', 'scratch'] as const;
export const DEFAULT_PRESET = 'team';

/** A policy is written by hand; what is larger is another file. */
const POLICY_BYTES = 256 * 1024;

export interface PolicySource {
  readonly name: string;
  /** Empty: the policy that ships under this name. */
  readonly yaml: string;
}

/** A shipped policy by its name, else a local file (`-`: stdin). Throws UsageError. */
export async function readPolicySource(io: CliIo, source: string): Promise<PolicySource> {
  if ((PRESETS as readonly string[]).includes(source)) return { name: source, yaml: '' };
  const yaml = Buffer.from(await readSmallLocal(io, source, POLICY_BYTES)).toString('utf8');
  // To the policy service an empty text means a policy that ships.
  if (yaml.trim() === '') throw new UsageError(`${source} is empty: a policy needs at least a version and rules`);
  return { name: source === '-' ? 'stdin' : basename(source).replace(/\.ya?ml$/, ''), yaml };
}
