import fs from 'node:fs';
import { expect, it } from '@jest/globals';
import type { AuthorizedOperation, OperationRecord } from '@retrace/contracts';
import { MemoryEventLog } from '@retrace/event-log/testing';
import * as fc from 'fast-check';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { modelOf, type ModelTree, type Wish } from '../testing/model-tree.js';

const APPLIED = 'retrace.operation.applied.v1';
const PATHS = ['a', 'b', 'd', 'd/x', 'd/y', 'd/x/z'];
const content = fc.constantFrom('', '1', '2', '11', '1'.repeat(70_000), '2'.repeat(70_000));
const wish: fc.Arbitrary<Wish> = fc.record({
  action: fc.constantFrom('create', 'write', 'edit', 'mkdir', 'remove'),
  path: fc.constantFrom(...PATHS),
  content,
});
const logicalOperations = fc.array(fc.array(wish, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
const start = fc.record({
  a: fc.option(content),
  b: fc.option(content),
  d: fc.option(fc.record({ x: fc.option(content), y: fc.option(content) })),
  linked: fc.boolean(),
});

type Start = typeof start extends fc.Arbitrary<infer T> ? T : never;

function begin(x: ExecutionFixture, { a, b, d, linked }: Start): ModelTree {
  const tree = new Map<string, string | null>();
  if (d) fs.mkdirSync(x.folder.full('d'));
  if (d) tree.set('d', null);
  for (const [name, text] of Object.entries({ a, b, 'd/x': d?.x, 'd/y': d?.y })) {
    if (typeof text !== 'string') continue;
    x.folder.put(name, text);
    if (linked) fs.linkSync(x.folder.full(name), `${x.folder.top}/other name of ${name.replace('/', ' ')}`);
    tree.set(name, text);
  }
  return tree;
}

function operationOf({ to }: ExecutionFixture, { action, path, content: text }: Wish): AuthorizedOperation {
  switch (action) {
    case 'create':
    case 'write':
      return to[action](path, text);
    case 'edit':
      return to.edit(path, [{ old_text: '1', new_text: text }]);
    case 'mkdir':
    case 'remove':
      return to[action](path);
  }
}

function diskOf(x: ExecutionFixture): ModelTree {
  const names = Object.entries(x.folder.tree());
  return new Map(names.map(([name, what]) => [name, what.startsWith('folder') ? null : x.folder.text(name)]));
}

const sorted = (tree: ModelTree) => [...tree].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Runs one; answers its records, none where it was refused. */
async function runOne(x: ExecutionFixture, wishes: readonly Wish[]): Promise<readonly OperationRecord[]> {
  const outcome = await x.run(...wishes.map((one) => operationOf(x, one)));
  return outcome.type === APPLIED ? outcome.data.operations : [];
}

async function restoreAll(x: ExecutionFixture, records: readonly OperationRecord[]): Promise<void> {
  const steps = records.toReversed().map(({ rollback_instruction, operation_id }) => ({
    ...rollback_instruction,
    compensates: operation_id,
  }));
  const outcome = steps.length > 0 ? await x.restore(...steps) : undefined;
  expect(outcome?.type ?? APPLIED).toBe(APPLIED);
}

it('applied ones leave what the model says, refused ones nothing; restored in reverse, the start is back', async () => {
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
        }
        await x.idle();
        await restoreAll(x, records);
        expect(x.folder.tree()).toEqual(startTree);
        await x.idle();
      } finally {
        await x.dispose();
      }
    }),
    { numRuns: 60 },
  );
}, 120_000);
