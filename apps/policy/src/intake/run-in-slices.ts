import { setImmediate as turn } from 'node:timers/promises';

/** The longest that one piece of work keeps the thread from others. */
const SLICE_MS = 10;

/** Runs to the end, and lets others run in between. */
export async function runInSlices<Result>(work: Iterator<void, Result>): Promise<Result> {
  let since = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await turn();
    since = performance.now();
  }
}
