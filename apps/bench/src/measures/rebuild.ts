import { freshContent, pathOf } from '../content.js';
import { inFlight } from '../in-flight.js';
import type { Finding } from '../statistics/measure.js';
import { median } from '../statistics/percentile.js';
import type { Bench } from './bench.js';

const AT_ONCE = 500;

/** The read models anew from the log, from the request until they have taken over. */
export async function rebuild(bench: Bench): Promise<Finding[]> {
  const { events, rebuilds } = bench.settings.scale;
  const retrace = await bench.retrace();
  while ((await retrace.caughtUp()) < events)
    await inFlight(50, AT_ONCE, (index) => retrace.write(pathOf(index), freshContent()));
  const speeds: number[] = [];
  for (let round = 0; round < rebuilds; round += 1) {
    const done = await retrace.rebuild();
    speeds.push((done.events / done.ms) * 1000);
  }
  const target = { of: 'value', at: 'least', is: 10_000 } as const;
  return [{ name: 'rebuild of the SQLite read models', value: median(speeds), unit: 'events/s', target }];
}
