import { setTimeout as sleep } from 'node:timers/promises';
import type { Retrace } from '@retrace/client';
import { FsBaseline } from '@retrace/contracts';
import type { z } from 'zod';
import type { Progress } from '../progress.js';

export type BaselineStatus = z.infer<(typeof FsBaseline)['reply']>;

const POLL_MS = 200;

/** Waits until what stands in the workspace is on record, or cannot be put there. */
export async function awaitBaseline(retrace: Retrace, progress: Progress): Promise<BaselineStatus> {
  for (;;) {
    const baseline = await retrace.call(FsBaseline, {});
    if (baseline.status === 'done' || baseline.status === 'failed') return baseline;
    progress.update(`storing what is there: ${baseline.files} of ${baseline.found} files, ${baseline.bytes} bytes`);
    await sleep(POLL_MS);
  }
}

export function describeBaseline({ status, files, bytes, message }: BaselineStatus): string {
  if (status === 'failed') return `what stood there could not be put on record: ${message ?? 'it does not say why'}`;
  if (status === 'done') return `what stood there is on record: ${files} files, ${bytes} bytes`;
  return 'what stands there is being put on record: retrace workspace list';
}
