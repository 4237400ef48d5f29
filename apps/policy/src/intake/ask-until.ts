import type { Ending } from './ending.js';

export interface Patience {
  /** On the clock of `performance.now()`. At least one try is made. */
  readonly deadline: number;
  readonly retryMs: number;
  /** Any of them ends it. */
  readonly endings: readonly Ending[];
}

/** Asks until there is an answer. `unavailable`: the deadline passed or an ending came first. Never rejects. */
export async function askUntil<T>(ask: () => Promise<T>, patience: Patience): Promise<T | 'unavailable'> {
  const { deadline, retryMs, endings } = patience;
  const isOver = (): boolean => endings.some((ending) => ending.isOver);
  while (!isOver()) {
    const left = Math.max(deadline - performance.now(), retryMs);
    try {
      return await within(ask(), left, endings);
    } catch {
      if (performance.now() >= deadline || isOver()) return 'unavailable';
      await within(new Promise<never>(() => undefined), retryMs, endings).catch(() => undefined);
    }
  }
  return 'unavailable';
}

/** A call that hangs must not hang its intent. */
function within<T>(answer: Promise<T>, ms: number, endings: readonly Ending[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(limit);
      for (const ending of endings) ending.delete(stop);
      settle();
    };
    const stop = (): void => end(() => reject(new Error('nobody waits for it any more')));
    const limit = setTimeout(() => end(() => reject(new Error(`no answer in ${Math.round(ms)} ms`))), ms);
    for (const ending of endings) ending.add(stop);
    answer.then(
      (found) => end(() => resolve(found)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
