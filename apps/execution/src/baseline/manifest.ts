import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BaselineManifest,
  BaselineManifestSchema,
  type BlobHash,
  BlobHashSchema,
  RetraceError,
} from '@retrace/contracts';
import type { BaselineEntry } from './baseline-scan.js';

/** Entries written before others have their turn. */
const SLICE = 1000;

export interface WrittenManifest {
  readonly hash: BlobHash;
  readonly content: Uint8Array;
}

/** Writes a manifest: the same entries give the same bytes. */
export async function writeManifest(workspace: string, entries: readonly BaselineEntry[]): Promise<WrittenManifest> {
  const sorted = sortedByBytes(entries);
  const parts = [Buffer.from(`{"workspace":${JSON.stringify(workspace)},"entries":[`)];
  for (let at = 0; at < sorted.length; at += SLICE) {
    const texts = sorted.slice(at, at + SLICE).map(({ path, state }) => JSON.stringify({ path, state }));
    parts.push(Buffer.from(`${at === 0 ? '' : ','}${texts.join(',')}`));
    await nextTurn();
  }
  const content = Buffer.concat([...parts, Buffer.from(']}')]);
  return { hash: BlobHashSchema.parse(createHash('sha256').update(content).digest('hex')), content };
}

/** Throws `bad_json` where these bytes are no manifest of the workspace. */
export function readManifest(workspace: string, content: Uint8Array): BaselineManifest {
  try {
    const manifest = BaselineManifestSchema.parse(JSON.parse(Buffer.from(content).toString()));
    if (manifest.workspace === workspace) return manifest;
    throw new Error(`it is one of ${manifest.workspace}`);
  } catch (cause) {
    throw new RetraceError('bad_json', `the baseline manifest of ${workspace} cannot be read: ${String(cause)}`, {
      cause,
    });
  }
}

/** JavaScript compares UTF-16 units, which is the order of the UTF-8 bytes as long as there are no surrogates. */
function sortedByBytes(entries: readonly BaselineEntry[]): BaselineEntry[] {
  const plain = entries.every(({ path }) => !/[\ud800-\udfff]/.test(path));
  const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const byUnits = (a: string, b: string): number => (a < b ? -1 : 1);
  const compare = plain ? byUnits : byBytes;
  return entries.toSorted((a, b) => compare(a.path, b.path));
}
