import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WORKSPACE } from '../testing/authorities.js';
import { attentionOf, CrashRunner, type Prepared } from '../testing/crash-runner.js';
import { CRASH_SCENARIOS } from '../testing/crash-scenarios.js';
import type { ExecutionFixture, OutcomeEvent } from '../testing/execution-fixture.js';

const FAILPOINTS = CrashRunner.failpoints();
const MOST_HITS = 8;
const runner = new CrashRunner();

beforeAll(() => CrashRunner.build(), 300_000);
afterAll(() => runner.dispose());

/** Disk and log say the same, once; nothing is left over; all that the outcome names can be had. */
async function expectOneOutcome(
  x: ExecutionFixture,
  { before, obstacle }: Prepared,
  after: Record<string, string>,
): Promise<void> {
  const outcomes = await x.outcomes();
  expect(outcomes).toHaveLength(1);
  const [outcome] = outcomes as [OutcomeEvent];
  const right = outcome.type === 'retrace.operation.applied.v1' ? after : before;
  const strange = obstacle && obstacle.path in before ? undefined : obstacle?.path;
  expect(without(x.folder.tree(), strange)).toEqual(without(right, strange));
  // Some file in staging is absent: a caller can do nothing about that.
  expect(codeOf(outcome)).not.toBe('absent');
  // Nobody but the obstacle is anybody else's.
  expect(attentionOf(outcome).filter((name) => name !== obstacle?.path)).toEqual([]);
  expect([x.folder.staged(), x.store.records(WORKSPACE)]).toEqual([[], []]);
  expect(fs.statSync(x.folder.full('linked')).nlink).toBe(2);
  expect(namedHashes(outcome).filter((hash) => !x.blobs.content.has(hash))).toEqual([]);
}

const without = (tree: Record<string, string>, path = '') =>
  Object.fromEntries(Object.entries(tree).filter(([name]) => name !== path));

const codeOf = (outcome: OutcomeEvent) => ('code' in outcome.data ? outcome.data.code : undefined);

function namedHashes(outcome: OutcomeEvent) {
  if (outcome.type !== 'retrace.operation.applied.v1') return [];
  return outcome.data.operations.flatMap(({ rollback_instruction: { restore, expect: left }, moved_from, moved_to }) =>
    // What only went to another path is there: nobody stores it.
    [moved_to === null ? restore : left, moved_from === null ? left : restore].flatMap((state) =>
      state.kind === 'file' ? [state.hash] : [],
    ),
  );
}

describe.each(Object.entries(CRASH_SCENARIOS))('%s, killed', (_, scenario) => {
  let after: Record<string, string>;
  beforeAll(async () => {
    after = await runner.cleanRun(scenario);
  }, 60_000);

  it.each(FAILPOINTS)(
    'at %s, each time it comes by: all or none, told once',
    async (failpoint) => {
      for (let times = 1; times <= MOST_HITS; times++) {
        const prepared = await runner.prepare(scenario);
        const killed = runner.runUntil(prepared.top, `${failpoint}:${times}`);
        await runner.recovered(prepared, async (x, outcome) => {
          await expectOneOutcome(x, prepared, after);
          expect([scenario.ends, 'failed']).toContain(outcome.type.split('.')[2]);
        });
        if (!killed) return;
      }
    },
    120_000,
  );

  it.each(FAILPOINTS.filter((name) => !name.endsWith('-commit')))(
    'in the middle, and again while that is recovered at %s',
    async (failpoint) => {
      const prepared = await runner.prepare(scenario);
      runner.runUntil(
        prepared.top,
        scenario.ends === 'failed' ? 'undo.before-operation:2' : 'apply.between-operations:2',
      );
      runner.runUntil(prepared.top, failpoint);
      await runner.recovered(prepared, (x) => expectOneOutcome(x, prepared, after));
    },
    120_000,
  );
});

it('every failpoint in the code was hit', () => {
  expect(FAILPOINTS.filter((name) => !runner.hit.has(name))).toEqual([]);
  expect(FAILPOINTS.length).toBeGreaterThanOrEqual(9);
});
