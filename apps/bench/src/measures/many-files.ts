import { join } from 'node:path';
import { freshContent } from '../content.js';
import { writeRaw } from '../sides/raw-files.js';
import type { RetraceSide } from '../sides/retrace-side.js';
import type { Finding } from '../statistics/measure.js';
import { median } from '../statistics/percentile.js';
import type { Bench } from './bench.js';

interface Round {
  readonly raw: number;
  readonly apply: number;
  readonly undo: number;
}

/** One logical operation that makes many files, and its undo; the baseline writes the same number by hand. */
export async function manyFiles(bench: Bench): Promise<Finding[]> {
  const { files, rounds } = bench.settings.scale;
  const retrace = await bench.retrace();
  const taken: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) taken.push(await once(bench.folder, retrace, `many${round}`, files));
  // The first one warms up.
  const [raw, apply, undo] = (['raw', 'apply', 'undo'] as const).map((what) =>
    median(taken.slice(1).map((one) => one[what])),
  ) as [number, number, number];
  const perSecond = (ms: number): number => (files / ms) * 1000;
  return [
    {
      name: `one logical operation of ${files} files, to raw temp and rename`,
      value: perSecond(apply),
      unit: 'files/s',
      baseline: perSecond(raw),
      target: { of: 'ratio', at: 'least', is: 0.3 },
    },
    {
      name: 'undo of it, to applying it',
      value: undo,
      unit: 'ms',
      baseline: apply,
      target: { of: 'ratio', at: 'most', is: 2 },
    },
  ];
}

async function once(folder: string, { session, operator }: RetraceSide, name: string, files: number): Promise<Round> {
  const names = Array.from({ length: files }, (_, index) => `f${index}.txt`);
  const contents = new Map(names.map((file) => [file, freshContent()]));
  const raw = await timed(() => writeRaw(join(folder, 'raw', name), contents));
  const creates = [...contents].map(([file, content]) => ({ create: `${name}/${file}`, content }));
  await session.apply([{ mkdir: name }]);
  let made: Awaited<ReturnType<typeof session.apply>> | undefined;
  const apply = await timed(async () => {
    made = await session.apply(creates);
  });
  const selection = { by: 'logical_operation', logical_operation_id: made!.logicalOperationId } as const;
  const undo = await timed(async () => operator.undo(await operator.undoPlan(selection)));
  return { raw, apply, undo };
}

async function timed(run: () => unknown): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}
