import { setTimeout as sleep } from 'node:timers/promises';

/** Tries until `check` answers something, at most `ms` long; then throws its last error. */
export async function eventually<T>(check: () => Promise<T> | T, ms = 20_000): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(25);
    }
  }
}
