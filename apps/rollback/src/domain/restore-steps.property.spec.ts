import { describe, expect, it } from '@jest/globals';
import type { PathState } from '@retrace/contracts';
import * as fc from 'fast-check';
import { restoreSteps } from './restore-steps.js';
import type { Chain } from './chains.js';
import { absent, directory, file, HistoryBuilder, pathOf } from './testing/history-builder.js';
import { ModelTree } from './testing/model-tree.js';

const PATHS = ['a', 'd', 'd/e', 'd/e/z', 'd/x', 'da', 'da/y'];
const state = fc.constantFrom(absent, directory, directory, file('one'), file('two'));

/** A valid tree: what cannot be there is not. */
const trees = fc.tuple(...PATHS.map(() => state)).map((states) => {
  const tree = new ModelTree();
  for (const [i, path] of PATHS.entries()) if (tree.hasFolder(path)) tree.change(path, states[i]!);
  return tree;
});

/** Which object each path's is said to be: each moves to one place at most. */
const shuffledPaths = fc.shuffledSubarray(PATHS, { minLength: PATHS.length });

const isFolder = ({ kind }: PathState): boolean => kind === 'directory';
const isAbsent = ({ kind }: PathState): boolean => kind === 'absent';

/** One or two operations that led from `before` to `after`, newest first. */
function chain(path: string, before: PathState, after: PathState): Chain {
  const past = new HistoryBuilder();
  const twice = !isAbsent(before) && !isAbsent(after) && isFolder(before) !== isFolder(after);
  if (twice) past.applied('ann', { path, before, after: absent });
  past.applied('ann', { path, before: twice ? absent : before, after });
  const operations = past.operations.toReversed();
  return { path: pathOf(path), operations, how: 'restore', keeps: new Map(), over: new Set() };
}

describe('the order of steps', () => {
  it('leads from any tree to any other without passing an invalid one', () =>
    fc.assert(
      fc.property(trees, trees, shuffledPaths, (present, past, shuffled) => {
        const origins = Object.fromEntries(PATHS.map((path, i) => [path, shuffled[i]]));
        const chains = PATHS.map((path) => chain(path, past.state(path), present.state(path)));
        const steps = restoreSteps(chains, {
          present: (path) => present.state(path),
          final: (path) => past.state(path),
          origin: (path) => origins[path],
        });
        const tree = present.copy();
        tree.run(steps);
        expect(tree).toEqual(past);
      }),
      { numRuns: 1000 },
    ));
});
