import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** On the clock of `performance.now()`. At least one try is made. */
  readonly deadline: number;
  readonly retryMs: number;
  /** Any of them ends it. */
  readonly signals: readonly AbortSignal[];
}

/** Asks until there is an answer. `unavailable`: the deadline passed or a signal came first. Never rejects. */
export async function askUntil<T>(ask: () => Promise<T>, patience: Patience): Promise<T | 'unavailable'> {
  const { deadline, retryMs, signals } = patience;
  while (!signals.some(({ aborted }) => aborted)) {
    const left = Math.max(deadline - performance.now(), retryMs);
    try {
      return await within(ask(), left, signals);
    } catch {
      if (performance.now() >= deadline) return 'unavailable';
      await sleep(retryMs, undefined, { signal: AbortSignal.any([...signals]) }).catch(() => undefined);
    }
  }
  return 'unavailable';
}

/** A call that hangs must not hang its intent. */
function within<T>(answer: Promise<T>, ms: number, signals: readonly AbortSignal[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(limit);
      for (const signal of signals) signal.removeEventListener('abort', stop);
      settle();
    };
    const stop = (): void => end(() => reject(new Error('nobody waits for it any more')));
    const limit = setTimeout(() => end(() => reject(new Error(`no answer in ${Math.round(ms)} ms`))), ms);
    for (const signal of signals) signal.addEventListener('abort', stop);
    answer.then(
      (found) => end(() => resolve(found)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
