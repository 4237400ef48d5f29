import { basename } from 'node:path';
import type { CliIo } from '../cli-io.js';
import { readLocal } from './content-source.js';

/** Policies that ship with Retrace; the policy service knows their text. */
export const PRESETS = ['strict', 'team', 'scratch'] as const;
export const DEFAULT_PRESET = 'team';

export interface PolicySource {
  readonly name: string;
  /** Empty: the policy that ships under this name. */
  readonly yaml: string;
}

/** A shipped policy by its name, else a local file. Throws UsageError. */
export async function readPolicySource(io: CliIo, source: string): Promise<PolicySource> {
  if ((PRESETS as readonly string[]).includes(source)) return { name: source, yaml: '' };
  const yaml = Buffer.from(await readLocal(io, source)).toString('utf8');
  return { name: basename(source).replace(/\.ya?ml$/, ''), yaml };
}
