import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** On the clock of `performance.now()`. At least one try is made. */
  readonly deadline: number;
  readonly retryMs: number;
  readonly signal: AbortSignal;
}

/** Asks until there is an answer. `unavailable`: the deadline passed or the signal came first. Never rejects. */
export async function askUntil<T>(ask: () => Promise<T>, patience: Patience): Promise<T | 'unavailable'> {
  const { deadline, retryMs, signal } = patience;
  while (!signal.aborted) {
    const left = Math.max(deadline - performance.now(), retryMs);
    try {
      return await within(ask(), left, signal);
    } catch {
      if (performance.now() >= deadline) return 'unavailable';
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return 'unavailable';
}

/** A call that hangs must not hang its intent. */
async function within<T>(answer: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const limit = sleep(ms, undefined, { signal: AbortSignal.any([signal, settled.signal]) }).then(() => {
    throw new Error(`no answer in ${Math.round(ms)} ms`);
  });
  try {
    return await Promise.race([answer, limit]);
  } finally {
    settled.abort();
    limit.catch(() => undefined);
    answer.catch(() => undefined);
  }
}
