import { freshContent } from '../content.js';
import { inFlight } from '../in-flight.js';
import { anonymousMegabytes } from '../memory.js';
import type { RetraceSide } from '../sides/retrace-side.js';
import { inTurns, type Side } from '../statistics/in-turns.js';
import type { Finding } from '../statistics/measure.js';
import { median } from '../statistics/percentile.js';
import type { Bench } from './bench.js';

const WIDTH = 64;
const REPORT_EVERY = 10_000;
const manyPaths = (index: number): string => `d${index % 20}/f${index % 1000}.txt`;

/**
 * Memory after many operations, and whether a write is as fast as at the beginning: a second system that has done few is
 * measured at the same time, in turns.
 */
export async function longRun(bench: Bench): Promise<Finding[]> {
  const { operations, young: few, warmUp, calls, block } = bench.settings.scale;
  const old = await bench.start('old');
  await work(bench, old, operations);
  await old.caughtUp();
  const held = anonymousMegabytes(old.system.pid);
  const young = await bench.start('young');
  await work(bench, young, few);
  const turns = { warmUp: Math.min(100, warmUp), calls: Math.min(1000, calls), block };
  const [late, early] = (await inTurns([old, young].map(side), turns, freshContent)).map(median);
  return [
    {
      name: `memory after ${operations} operations`,
      value: held,
      unit: 'MB',
      target: { of: 'value', at: 'most', is: 350 },
    },
    {
      name: `one write, p50, after ${operations} operations, to after ${few}`,
      value: late!,
      unit: 'ms',
      baseline: early!,
      target: { of: 'ratio', at: 'most', is: 1.2 },
    },
  ];
}

async function work(bench: Bench, { session }: RetraceSide, operations: number): Promise<void> {
  await session.apply(Array.from({ length: 20 }, (_, index) => ({ mkdir: `d${index}` })));
  for (let done = 0; done < operations;) {
    const count = Math.min(REPORT_EVERY, operations - done);
    const before = done;
    await inFlight(WIDTH, count, async (index) => {
      await session.write(manyPaths(before + index), freshContent());
    });
    done += count;
    if (operations > REPORT_EVERY) bench.say(`${done} of ${operations} operations`);
  }
}

const side = (retrace: RetraceSide): Side => ({
  call: (index, content) => retrace.write(manyPaths(index), content),
});
