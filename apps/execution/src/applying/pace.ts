import { setImmediate as nextTurn } from 'node:timers/promises';

/** Others of this process are served at least this often, in milliseconds. */
const SLICE_MS = 12;

/** Lets other work of the event loop go on once the present slice of time is used up. */
export class Pace {
  private began = performance.now();

  async breathe(): Promise<void> {
    if (performance.now() - this.began < SLICE_MS) return;
    await nextTurn();
    this.began = performance.now();
  }
}

/** Work that may be interrupted for others between its steps. */
export type Stepwise<T> = Generator<void, T, void>;

/** Does it at one go: nothing else runs meanwhile. */
export function atOnce<T>(work: Stepwise<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does it in slices. */
export async function paced<T>(work: Stepwise<T>): Promise<T> {
  const pace = new Pace();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pace.breathe();
  }
}
