import { join } from 'node:path';
import { freshContent, pathOf } from '../content.js';
import { GitFolder } from '../sides/git-folder.js';
import { inTurns, type Side } from '../statistics/in-turns.js';
import type { Finding } from '../statistics/measure.js';
import { median } from '../statistics/percentile.js';
import type { Bench } from './bench.js';

interface Writer {
  write(path: string, content: string): Promise<void>;
}

/** One write at a time, from the intent to its outcome, against the reference server and against a commit per write. */
export async function oneWrite(bench: Bench): Promise<Finding[]> {
  const git = new GitFolder(join(bench.folder, 'git'));
  await git.start();
  const writers = [await bench.retrace(), await bench.reference(), git];
  const [ours, theirs, commits] = (await inTurns(writers.map(side), bench.settings.scale, freshContent)).map(median);
  const common = { value: ours!, unit: 'ms' };
  return [
    {
      ...common,
      name: 'one write, p50, to write_file of the reference server',
      baseline: theirs!,
      target: { of: 'ratio', at: 'most', is: 1.8 },
    },
    {
      ...common,
      name: 'one write, p50, to git add and commit per write',
      baseline: commits!,
      target: { of: 'ratio', at: 'most', is: 1 / 6, shown: '1/6' },
    },
  ];
}

const side = (writer: Writer): Side => ({
  call: (index, content) => writer.write(pathOf(index), content),
});
