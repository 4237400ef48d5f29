import { setTimeout as sleep } from 'node:timers/promises';
import type { Retrace } from '@retrace/client';
import { FsBaseline } from '@retrace/contracts';
import type { z } from 'zod';
import type { Progress } from '../progress.js';

export type BaselineStatus = z.infer<(typeof FsBaseline)['reply']>;

const POLL_MS = 200;
/** One that has not begun by then waits for another workspace's, or for the blob store: it goes on without us. */
const MOST_LOOKS_BEFORE_IT_BEGINS = 150;

/** Waits until what stands in the workspace is on record, cannot be put there, or does not begin. */
export async function awaitBaseline(retrace: Retrace, progress: Progress): Promise<BaselineStatus> {
  for (let looks = 1; ; looks += 1) {
    const baseline = await retrace.call(FsBaseline, {});
    if (baseline.status === 'done' || baseline.status === 'failed') return baseline;
    if (baseline.status === 'none' && looks > MOST_LOOKS_BEFORE_IT_BEGINS) return baseline;
    progress.update(`storing what is there: ${baseline.files} of ${baseline.found} files, ${baseline.bytes} bytes`);
    await sleep(POLL_MS);
  }
}

export function describeBaseline({ status, files, bytes, message }: BaselineStatus): string {
  if (status === 'failed') return `what stood there could not be put on record: ${message ?? 'it does not say why'}`;
  if (status === 'done') return `what stood there is on record: ${files} files, ${bytes} bytes`;
  return 'what stands there is being put on record: retrace workspace list';
}
