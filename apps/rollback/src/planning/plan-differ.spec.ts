import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PathState, type Principal, PrincipalSchema, type RestoreStep, type RpcCaller } from '@retrace/contracts';
import { absent, context, directory, opId, pathOf, stepOf } from '../domain/testing/history-builder.js';
import { planOfFiles } from '../domain/testing/rollback-plans.js';
import { MemoryContents } from '../testing/memory-contents.js';
import { StoreOnDisk } from '../testing/open-store.js';
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
  beforeEach(() => {
    store = new StoreOnDisk();
    contents = new MemoryContents();
  });
  afterEach(() => store.remove());

  const diff = (steps: readonly RestoreStep[], path = 'a', by: RpcCaller = as(plan.requested_by)) => {
    store.plans.keep({ ...plan, steps: [...steps], step_count: steps.length }, 0);
    return new PlanDiffer(new PlanReader(store.plans), contents).diff(plan.plan_hash, pathOf(path), by);
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
});
