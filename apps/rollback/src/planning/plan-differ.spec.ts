import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  partitionOf,
  type PathState,
  type Principal,
  PrincipalSchema,
  type RestoreStep,
  type RpcCaller,
} from '@retrace/contracts';
import {
  absent,
  type Change,
  context,
  directory,
  HistoryBuilder,
  moved,
  opId,
  pathOf,
  stepOf,
} from '../domain/testing/history-builder.js';
import { planOfFiles } from '../domain/testing/rollback-plans.js';
import { MemoryContents } from '../testing/memory-contents.js';
import { StoreOnDisk } from '../testing/open-store.js';
import { appliedEvent } from '../testing/stored-events.js';
import { OwnContents } from './own-contents.js';
import { PlanDiffer } from './plan-differ.js';
import { PlanReader } from './plan-reader.js';

const { plan } = planOfFiles(1);
const as = (principal: Principal | undefined): RpcCaller => ({
  principal,
  workspace: context.workspace,
  service: 'plan',
  verb: 'diff',
});

describe('the diff of a step', () => {
  let store: StoreOnDisk;
  let contents: MemoryContents;
  const unreadable = new Set<string>();
  beforeEach(() => {
    unreadable.clear();
    store = new StoreOnDisk();
    contents = new MemoryContents();
  });
  afterEach(() => store.remove());

  const diff = (steps: readonly RestoreStep[], path = 'a', by: RpcCaller = as(context.requestedBy)) => {
    store.plans.keep({ ...plan, steps: [...steps], step_count: steps.length }, 0);
    const own = new OwnContents(store.history);
    const rules = { mayRead: (_: unknown, __: unknown, asked: string) => Promise.resolve(!unreadable.has(asked)) };
    return new PlanDiffer(new PlanReader(store.plans), contents, own, rules).diff(plan.plan_hash, pathOf(path), by);
  };
  const step = (from: PathState, to: PathState) => stepOf('a', from, to, opId(1));

  it('goes from what stands there to what will', async () => {
    const made = await diff([step(contents.stand('a', '1\nnew\n'), contents.put('1\nold\n'))]);
    expect(made).toMatchObject({ path: 'a', binary: false, truncated: false });
    expect(made.diff).toContain('-new\n+old\n');
  });

  it('shows a file that comes or goes whole, and nothing of a folder', async () => {
    expect((await diff([step(contents.put('x\n'), absent)])).diff).toContain('-x\n');
    expect((await diff([step(absent, contents.put('x\n'))])).diff).toContain('+x\n');
    expect(await diff([step(directory, absent)])).toMatchObject({ diff: '', binary: false });
  });

  it('shows both steps of a path as one', async () => {
    const made = await diff([step(contents.put('x\n'), absent), step(absent, contents.put('y\n'))]);
    expect(made.diff).toContain('-x\n+y\n');
  });

  it('reads an object that comes from elsewhere where it stands', async () => {
    const object = contents.stand('b', 'moved\n');
    const made = await diff([{ ...step(absent, object), moves_from: pathOf('b') }]);
    expect(made.diff).toContain('+moved\n');
  });

  it('is empty for what is no text, and cut where it is long', async () => {
    expect(await diff([step(contents.put('a\0'), contents.put('b\0'))])).toMatchObject({ diff: '', binary: true });
    const long = (sign: string) => contents.put(`${sign.repeat(999)}\n`.repeat(400));
    const cut = await diff([step(long('a'), long('b'))]);
    expect(cut.truncated).toBe(true);
    expect(Buffer.byteLength(cut.diff)).toBeLessThanOrEqual(256 * 1024);
    expect(cut.diff.endsWith('\n')).toBe(true);
    const huge = contents.put('x'.repeat(4 * 1024 * 1024 + 1));
    expect(await diff([step(huge, contents.put(''))])).toMatchObject({ diff: '', truncated: true });
  });

  it('says that the plan is old where what it saw is gone', async () => {
    const seen = contents.stand('a', 'seen\n');
    contents.disk.set('a', Buffer.from('other\n'));
    await expect(diff([step(seen, absent)])).rejects.toMatchObject({ code: 'plan_stale' });
  });

  it('is for who made the plan, for operators and for services', async () => {
    const steps = [step(contents.put('x'), absent)];
    for (const allowed of [plan.requested_by, context.requestedBy, undefined])
      expect(await diff(steps, 'a', as(allowed))).toMatchObject({ path: 'a' });
    const stranger = as(PrincipalSchema.parse('bob'));
    await expect(diff(steps, 'a', stranger)).rejects.toMatchObject({ code: 'unknown_plan' });
    await expect(diff(steps, 'b')).rejects.toMatchObject({ code: 'not_found' });
  });

  describe('for an agent', () => {
    const agent = plan.requested_by;
    const { workspace } = context;
    /** What was recorded is what an agent's own work found and left. */
    const record = (...work: readonly (readonly [who: string, ...changes: readonly Change[]])[]): void => {
      const past = new HistoryBuilder();
      for (const [who, ...changes] of work) past.applied(who, ...changes);
      const { id } = appliedEvent(past.operations);
      const position = { sequence: 9, eventId: id };
      store.folds.fold({ lane: String(partitionOf(workspace)), workspace, eventId: id, position }, () => ({
        operations: past.operations,
      }));
    };
    const shown = (steps: readonly RestoreStep[]) => diff(steps, 'a', as(agent));
    const withheld = { path: 'a', diff: '', binary: false, truncated: false, withheld: true };

    it('shows what its own work found and left', async () => {
      const [before, after] = [contents.put('1\n'), contents.put('2\n')];
      record([agent, { path: 'a', before, after }]);
      const made = await shown([step(after, before)]);
      expect(made.diff).toContain('-2\n+1\n');
      expect(made.withheld).toBeUndefined();
    });

    it('shows nothing of what others left there, recorded or not', async () => {
      const [before, after, foreign] = [contents.put('1\n'), contents.put('2\n'), contents.put('3\n')];
      record([agent, { path: 'a', before, after }], ['bob', { path: 'a', before: after, after: foreign }]);
      for (const found of [foreign, contents.stand('a', 'person\n')])
        expect(await shown([{ ...step(found, before), how: 'force' }])).toEqual(withheld);
      expect(await diff([{ ...step(foreign, before), how: 'force' }])).toMatchObject({
        diff: expect.stringContaining('-3\n+1\n'),
      });
    });

    it('shows a merge of its own contents, and none that took what others left', async () => {
      const [before, after, later] = [contents.put('1\n2\n'), contents.put('one\n2\n'), contents.put('one\ntwo\n')];
      const merged = contents.put('1\ntwo\n');
      const merge = { ...step(later, merged), how: 'merge' as const };
      record([agent, { path: 'a', before, after }], [agent, { path: 'a', before: after, after: later }]);
      expect((await shown([merge])).diff).toContain('-one\n+1\n');
      await store.remove();
      store = new StoreOnDisk();
      record([agent, { path: 'a', before, after }], ['bob', { path: 'a', before: after, after: later }]);
      expect(await shown([merge])).toEqual(withheld);
      await store.remove();
      store = new StoreOnDisk();
      record(['bob', { path: 'a', before, after }], [agent, { path: 'a', before: after, after: later }]);
      expect(await shown([merge])).toEqual(withheld);
      expect(await shown([{ ...merge, how: 'force' }])).toEqual(withheld);
    });

    it('shows nothing of a path that it may not read now, though it changed it itself', async () => {
      const [before, after] = [contents.put('secret\n'), contents.put('2\n')];
      record([agent, { path: 'a', before, after }]);
      unreadable.add('a');
      expect(await shown([step(after, before)])).toEqual(withheld);
      expect((await diff([step(after, before)])).diff).toContain('+secret\n');
      unreadable.clear();
      unreadable.add('b');
      expect(await shown([{ ...step(after, before), moves_from: pathOf('b') }])).toEqual(withheld);
    });

    it('knows what was done under an earlier name', async () => {
      const [before, after] = [contents.put('1\n'), contents.put('2\n')];
      record([agent, { path: 'old', before, after }], ['bob', ...moved('old', 'a', after)]);
      expect((await shown([step(after, before)])).diff).toContain('-2\n+1\n');
    });
  });
});
