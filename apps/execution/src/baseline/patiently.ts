import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf } from '@retrace/contracts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

const PASSING: ReadonlySet<string> = new Set([
  'unavailable',
  'timeout',
  'busy',
  'not_ready',
  'blob_store_failed',
  'blob_store_closed',
  'blob_uploads_busy',
  'blob_upload_gone',
  'blob_upload_gap',
]);

/** Whether trying again may help: somebody is away, or has no room at the moment. */
export const isPassing = (error: unknown): boolean => PASSING.has(errorCodeOf(error));

/**
 * Tries until it works or trying again does not help. `waits` is told of each failure, and with undefined of the success
 * after one; `signal` ends the waiting.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  helps: (error: unknown) => boolean,
  signal: AbortSignal,
  waits: (error: unknown) => void,
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      const result = await work();
      if (wait > FIRST_WAIT_MS) waits(undefined);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (!helps(error)) throw error;
      waits(error);
      await sleep(wait, undefined, { signal, ref: false });
    }
  }
}
