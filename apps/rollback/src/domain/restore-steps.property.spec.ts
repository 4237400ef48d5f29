import { describe, expect, it } from '@jest/globals';
import type { PathState } from '@retrace/contracts';
import * as fc from 'fast-check';
import { restoreSteps } from './restore-steps.js';
import type { IndexedOperation } from './operation-index.js';
import { absent, directory, file, HistoryBuilder } from './testing/history-builder.js';
import { ModelTree } from './testing/model-tree.js';

const PATHS = ['a', 'd', 'd/e', 'd/e/z', 'd/x', 'da', 'da/y'];
const state = fc.constantFrom(absent, directory, directory, file('one'), file('two'));

/** A valid tree: what cannot be there is not. */
const trees = fc.tuple(...PATHS.map(() => state)).map((states) => {
  const tree = new ModelTree();
  for (const [i, path] of PATHS.entries()) if (tree.hasFolder(path)) tree.change(path, states[i]!);
  return tree;
});

const isFolder = ({ kind }: PathState): boolean => kind === 'directory';
const isAbsent = ({ kind }: PathState): boolean => kind === 'absent';

/** One or two operations that led from `before` to `after`, newest first. */
function chain(path: string, before: PathState, after: PathState): IndexedOperation[] {
  const past = new HistoryBuilder();
  const twice = !isAbsent(before) && !isAbsent(after) && isFolder(before) !== isFolder(after);
  if (twice) past.applied('ann', { path, before, after: absent });
  past.applied('ann', { path, before: twice ? absent : before, after });
  return past.operations.toReversed();
}

describe('the order of steps', () => {
  it('leads from any tree to any other without passing an invalid one', () =>
    fc.assert(
      fc.property(trees, trees, (present, past) => {
        const chains = new Map(PATHS.map((path) => [path, chain(path, past.state(path), present.state(path))]));
        const steps = restoreSteps(chains, (path) => present.state(path));
        const tree = present.copy();
        tree.run(steps);
        expect(tree).toEqual(past);
      }),
      { numRuns: 1000 },
    ));
});
