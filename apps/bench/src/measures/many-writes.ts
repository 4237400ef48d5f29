import { freshContent } from '../content.js';
import { inFlight } from '../in-flight.js';
import type { Finding } from '../statistics/measure.js';
import { median } from '../statistics/percentile.js';
import type { Bench } from './bench.js';

const WIDTH = 64;

/** 64 intents in flight, each lane with a file of its own; the baseline is the reference server, asked the same way. */
export async function manyWrites(bench: Bench): Promise<Finding[]> {
  const { warmUp, inFlight: count, turns } = bench.settings.scale;
  const writers = [await bench.retrace(), await bench.reference()];
  const speeds = writers.map((): number[] => []);
  for (let turn = -1; turn < turns; turn += 1)
    for (const [number, writer] of writers.entries()) {
      const write = (_: number, lane: number) => writer.write(`lane${lane}.txt`, freshContent());
      const speed = await inFlight(WIDTH, turn < 0 ? warmUp : count, write);
      if (turn >= 0) speeds[number]!.push(speed);
    }
  const [ours, theirs] = speeds.map(median);
  return [
    {
      name: `${WIDTH} intents in flight`,
      value: ours!,
      unit: 'operations/s',
      baseline: theirs!,
      target: { of: 'value', at: 'least', is: 2000 },
    },
  ];
}
