import fs from 'node:fs';
import { expect, it } from '@jest/globals';
import type { AuthorizedOperation, OperationRecord } from '@retrace/contracts';
import { MemoryEventLog } from '@retrace/event-log/testing';
import * as fc from 'fast-check';
import { restoresOf } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { LINK_TARGET, type ModelNode, modelOf, type ModelTree, type Wish } from '../testing/model-tree.js';

const APPLIED = 'retrace.operation.applied.v1';
const PATHS = ['a', 'b', 'd', 'd/x', 'd/y', 'd/x/z'];
const content = fc.constantFrom('', '1', '2', '11', '1'.repeat(70_000), '2'.repeat(70_000));
const wish: fc.Arbitrary<Wish> = fc.record({
  action: fc.constantFrom(
    ...(['create', 'write', 'edit', 'append', 'mkdir', 'remove', 'rmdir', 'chmod', 'symlink'] as const),
    ...(['copy', 'move', 'move'] as const),
  ),
  path: fc.constantFrom(...PATHS),
  to: fc.constantFrom(...PATHS),
  overwrite: fc.boolean(),
  content,
  mode: fc.constantFrom(0o644, 0o755, 0o700),
});
const logicalOperation = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(wish) },
  { weight: 1, arbitrary: fc.array(wish, { minLength: 2, maxLength: 4 }) },
);
const logicalOperations = fc.array(logicalOperation, { minLength: 10, maxLength: 24, size: 'max' });
const start = fc.record({
  a: fc.option(content),
  b: fc.option(content),
  d: fc.option(fc.record({ x: fc.option(content), y: fc.option(content) })),
  linked: fc.boolean(),
});

type Start = typeof start extends fc.Arbitrary<infer T> ? T : never;

function begin(x: ExecutionFixture, { a, b, d, linked }: Start): ModelTree {
  const tree = new Map<string, ModelNode>();
  if (d) fs.mkdirSync(x.folder.full('d'), { mode: 0o755 });
  if (d) tree.set('d', { kind: 'folder', mode: 0o755 });
  for (const [name, text] of Object.entries({ a, b, 'd/x': d?.x, 'd/y': d?.y })) {
    if (typeof text !== 'string') continue;
    x.folder.put(name, text);
    if (linked) fs.linkSync(x.folder.full(name), `${x.folder.top}/other name of ${name.replace('/', ' ')}`);
    tree.set(name, { kind: 'file', content: text, mode: 0o644 });
  }
  return tree;
}

function operationOf({ to }: ExecutionFixture, wished: Wish): AuthorizedOperation {
  const { action, path, content: text, mode, overwrite } = wished;
  switch (action) {
    case 'create':
    case 'write':
    case 'append':
      return to[action](path, text);
    case 'edit':
      return to.edit(path, [{ old_text: '1', new_text: text }]);
    case 'mkdir':
    case 'remove':
    case 'rmdir':
      return to[action](path);
    case 'chmod':
      return to.chmod(path, mode);
    case 'symlink':
      return to.symlink(path, LINK_TARGET);
    case 'copy':
    case 'move':
      return to[action](path, wished.to, { overwrite });
  }
}

function diskOf({ folder }: ExecutionFixture): ModelTree {
  return new Map(Object.keys(folder.tree()).map((name) => [name, nodeAt(folder.full(name))]));
}

function nodeAt(full: string): ModelNode {
  const stat = fs.lstatSync(full);
  const mode = stat.mode & 0o7777;
  if (stat.isSymbolicLink()) return { kind: 'link', target: fs.readlinkSync(full) };
  return stat.isDirectory() ? { kind: 'folder', mode } : { kind: 'file', content: fs.readFileSync(full, 'utf8'), mode };
}

const sorted = (tree: ModelTree) => [...tree].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Runs one; answers its records, none where it was refused. */
async function runOne(x: ExecutionFixture, wishes: readonly Wish[]): Promise<readonly OperationRecord[]> {
  const outcome = await x.run(...wishes.map((one) => operationOf(x, one)));
  return outcome.type === APPLIED ? outcome.data.operations : [];
}

it('applied ones leave what the model says, refused ones nothing; restored in reverse, the start is back', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(start, logicalOperations, async (first, wanted) => {
      const x = new ExecutionFixture(new MemoryEventLog());
      try {
        const beginning = begin(x, first);
        const startTree = x.folder.tree();
        let model = beginning;
        const records: OperationRecord[] = [];
        for (const wishes of wanted) {
          const right = modelOf(model, wishes);
          const told = await runOne(x, wishes);
          expect(told.length > 0).toBe(right !== undefined);
          model = right ?? model;
          expect(sorted(diskOf(x))).toEqual(sorted(model));
          records.push(...told);
          for (const { action } of told) seen.set(action, (seen.get(action) ?? 0) + 1);
        }
        await x.idle();
        const steps = restoresOf(records);
        expect(steps.length > 0 ? (await x.restore(...steps)).type : APPLIED).toBe(APPLIED);
        expect(x.folder.tree()).toEqual(startTree);
        await x.idle();
      } finally {
        await x.dispose();
      }
    }),
    { numRuns: 80 },
  );
  for (const action of ['append', 'chmod', 'copy', 'move']) expect(seen.get(action) ?? 0).toBeGreaterThan(0);
}, 240_000);
