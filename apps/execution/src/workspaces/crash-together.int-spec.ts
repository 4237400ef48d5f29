import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Authority } from '../domain/authority.js';
import { authorize, WORKSPACE } from '../testing/authorities.js';
import { lastingFixture } from '../testing/crash-child.js';
import { CrashRunner } from '../testing/crash-runner.js';
import type { CrashScenario } from '../testing/crash-scenarios.js';
import type { ExecutionFixture } from '../testing/execution-fixture.js';

const runner = new CrashRunner();
beforeAll(() => CrashRunner.build(), 300_000);
afterAll(() => runner.dispose());

/** Five that go together, one that is refused when it is prepared, and one that must wait for the first. */
const scenario: CrashScenario = {
  ends: 'applied',
  async prepare(x) {
    x.folder.put('old', 'old');
    x.folder.put('gone', 'gone');
    x.folder.put('mode', 'mode');
    const { create, write, remove, mkdir, chmod } = x.to;
    const [authority, ...others] = [
      await authorize(x.log, [create('a', 'A')]),
      await authorize(x.log, [write('old', 'new')]),
      await authorize(x.log, [remove('gone')]),
      await authorize(x.log, [chmod('mode', 0o600)]),
      await authorize(x.log, [mkdir('d'), create('d/x', 'X')]),
      await authorize(x.log, [create('old', 'refused')]),
      await authorize(x.log, [write('a', 'AA')]),
    ] as const;
    return { authority, others };
  },
};

const ENDS = ['applied', 'applied', 'applied', 'applied', 'applied', 'failed', 'applied'];
const TREE = ['a', 'd', 'd/x', 'mode', 'old'];

/** Places of the way that each passes by alone are tried several times. */
const PLACES = CrashRunner.failpoints().filter((name) => !/^(undo|move|content)\./.test(name));

async function expectAllEnded(x: ExecutionFixture, authorities: readonly Authority[]): Promise<void> {
  const outcomes = await x.outcomes();
  // The log of this spec does not drop doubles: each is told once, in the order of authority.
  expect(outcomes.map(({ causationid }) => causationid)).toEqual(authorities.map(({ eventId }) => eventId));
  expect(outcomes.map(({ type }) => type.split('.')[2])).toEqual(ENDS);
  expect(Object.keys(x.folder.tree()).toSorted()).toEqual(TREE);
  expect([x.folder.text('a'), x.folder.text('old'), x.folder.mode('mode')]).toEqual(['AA', 'new', 0o600]);
  expect([x.folder.staged(), x.store.records(WORKSPACE)]).toEqual([[], []]);
}

it.each(PLACES)(
  'killed at %s, each time that several together come by: each ends whole, told once, in its order',
  async (failpoint) => {
    for (let times = 1; times <= 4; times++) {
      const { top, authority, others = [] } = await runner.prepare(scenario);
      const killed = runner.runUntil(top, `${failpoint}:${times}`);
      const x = lastingFixture(top);
      try {
        x.executor.recover();
        await x.executeAll([authority, ...others]);
        await x.idle();
        await expectAllEnded(x, [authority, ...others]);
      } finally {
        await x.close();
      }
      if (!killed) return;
    }
  },
  120_000,
);

it('every one of these places was hit', () => {
  expect(PLACES.filter((name) => !runner.hit.has(name))).toEqual([]);
});
