import { Bench } from './measures/bench.js';
import { longRun } from './measures/long-run.js';
import { manyFiles } from './measures/many-files.js';
import { manyWrites } from './measures/many-writes.js';
import { oneWrite } from './measures/one-write.js';
import { rebuild } from './measures/rebuild.js';
import { drawProfiles, profilerArguments } from './profiling/profiles.js';
import { GROUPS, type Group, type Settings } from './settings.js';
import { judge, type Finding, type Measure } from './statistics/measure.js';
import { type Report, thisMachine } from './statistics/report.js';

const MEASURES: Record<Group, (bench: Bench) => Promise<Finding[]>> = {
  write: oneWrite,
  'in-flight': manyWrites,
  files: manyFiles,
  rebuild,
  memory: longRun,
};

const brief = ({ name, value, unit, ratio, pass }: Measure): string =>
  `${name}: ${value} ${unit}${ratio === null ? '' : `, ratio ${ratio}`}${pass ? '' : ', missed'}`;

/** Runs the measures that were asked for, one after another; nothing is left behind, when it is aborted too. */
export async function runBench(
  settings: Settings,
  say: (what: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<Report> {
  const { mode, durability, quick, groups, profile } = settings;
  const bench = new Bench(settings, say, profile === undefined ? [] : profilerArguments(profile));
  const measures: Measure[] = [];
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  // Between two measures nobody waits for it.
  aborted.catch(() => undefined);
  try {
    for (const group of GROUPS.filter((one) => groups.includes(one))) {
      say(`${group} …`);
      const judged = (await Promise.race([MEASURES[group](bench), aborted])).map(judge);
      judged.forEach((measure) => say(`  ${brief(measure)}`));
      measures.push(...judged);
    }
  } finally {
    await bench.close();
  }
  if (profile !== undefined) drawProfiles(profile).forEach(say);
  const date = new Date().toISOString();
  return { machine: thisMachine(), date, mode, durability, quick, profiled: profile !== undefined, measures };
}
