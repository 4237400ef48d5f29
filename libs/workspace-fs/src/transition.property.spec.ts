import { expect, it } from '@jest/globals';
import { ABSENT, type PathState } from '@retrace/contracts';
import { array, assert, constant, constantFrom, oneof, property, record, tuple, type Arbitrary } from 'fast-check';
import fs from 'node:fs';
import { applyTransition } from './apply.js';
import { captureState } from './capture.js';
import { classify } from './classify.js';
import { stage } from './stage.js';
import { listStaged } from './staging.js';
import { fileOf, folderOf, linkTo, temporaryWorkspace, treeOf } from './testing/temporary-workspace.js';
import type { Transition } from './transition.js';
import { undoTransition } from './undo.js';

type Wanted = { state: PathState; content: Buffer };
const nothing = Buffer.alloc(0);

const modes = constantFrom(0o644, 0o755, 0o600, 0o4755, 0o000);
const content = constantFrom('', 'a', 'b', '\0\xff', 'x'.repeat(5000));
const wanted: Arbitrary<Wanted> = oneof(
  constant({ state: ABSENT, content: nothing }),
  tuple(content, modes).map(([text, mode]) => ({ state: fileOf(text, mode), content: Buffer.from(text) })),
  constantFrom(0o755, 0o700, 0o1777).map((mode) => ({ state: folderOf(mode), content: nothing })),
  constantFrom('a', '../..', '/nowhere').map((target) => ({ state: linkTo(target), content: nothing })),
);
const paths = constantFrom('a', 'b', '$x [1]\n', 'a/b', 'a/c', 'a/b/d');
const steps = array(record({ path: paths, wanted }), { minLength: 1, maxLength: 25 });

/** What stands there, or undefined where a transition has no parent to work in. */
function stateAt(rootFd: number, path: string): PathState | undefined {
  try {
    const parent = path.includes('/') ? captureState(rootFd, path.slice(0, path.lastIndexOf('/'))).state : folderOf();
    return parent.kind === 'directory' ? captureState(rootFd, path).state : undefined;
  } catch {
    return undefined;
  }
}

it('any transitions, undone in reverse, give back the tree that was: names, bytes, modes, targets', () => {
  const seen = { applied: 0, changed: 0 };
  assert(
    property(steps, steps, (history, session) => {
      const w = temporaryWorkspace();
      try {
        const carryOut = (list: typeof session, prefix: string): Transition[] => {
          const done: Transition[] = [];
          for (const [index, step] of list.entries()) {
            const from = stateAt(w.root.rootFd, step.path);
            if (from === undefined) continue;
            const t: Transition = { path: step.path, from, to: step.wanted.state, stageName: `${prefix}${index}` };
            const before = treeOf(w.folder);
            stage(w.root, t, () => step.wanted.content);
            expect(treeOf(w.folder)).toEqual(before);
            const { outcome } = applyTransition(w.root, t);
            const applied = outcome === 'applied';
            seen[applied ? 'applied' : 'changed'] += 1;
            if (applied) done.push(t);
            // Only folders with entries are refused here, and a refusal changes nothing.
            expect(applied || (outcome === 'changed' && from.kind === 'directory')).toBe(true);
            expect(classify(w.root, t)).toMatchObject({ position: applied ? 'after' : 'before', foreign: false });
            expect(treeOf(w.folder)).toEqual(applied ? treeOf(w.folder) : before);
          }
          return done;
        };
        carryOut(history, 'h');
        const [tree, staged] = [treeOf(w.folder), listStaged(w.root).length];
        const done = carryOut(session, 's');
        for (const t of done.toReversed()) {
          expect(undoTransition(w.root, t)).toEqual({ outcome: 'undone' });
          expect(fs.existsSync(w.full(`.retrace/staging/${t.stageName}`))).toBe(false);
        }
        expect(treeOf(w.folder)).toEqual(tree);
        expect(listStaged(w.root).length).toBeGreaterThanOrEqual(staged);
      } finally {
        w.dispose();
      }
    }),
    { numRuns: 150 },
  );
  expect(seen.applied).toBeGreaterThan(100);
  expect(seen.changed).toBeGreaterThan(0);
});
