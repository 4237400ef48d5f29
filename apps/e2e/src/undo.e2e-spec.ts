import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Retrace } from '@retrace/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { addWorkspace, MODES, RetraceSystem, treeOf } from '@retrace/testing';

describe.each(MODES)('undo, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let a: Retrace;
  let b: Retrace;
  let operator: Retrace;
  let count = 0;

  beforeAll(async () => {
    await system.start();
    await addWorkspace(system, 'first', {}, ['agent-a', 'agent-b']);
  }, 120_000);
  afterEach(() => Promise.all([a, b, operator].map((one) => one.close())));
  afterAll(() => system.dispose(), 60_000);

  /** A workspace of its own with `a`, `b`, `c` = `0`, and three connections to it. */
  const fresh = async (): Promise<string> => {
    const name = `w${(count += 1)}`;
    const folder = await addWorkspace(system, name, { a: '0', b: '0', c: '0' }, ['agent-a', 'agent-b']);
    [a, b, operator] = (await Promise.all(
      ['agent-a', 'agent-b', '_op-local'].map((who) => system.connect(who, name)),
    )) as [Retrace, Retrace, Retrace];
    return folder;
  };
  const text = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');
  const undo = async (session: { id: string }) =>
    operator.undo(await operator.undoPlan({ by: 'session', session_id: session.id as never }));

  const interleaved = async () => {
    const sa = await a.openSession({ task: 'A' });
    const sb = await b.openSession({ task: 'B' });
    await sa.write('a', 'A');
    await sa.write('c', 'A');
    await sb.write('b', 'B');
    await sb.write('c', 'B');
    return { sa, sb };
  };

  it("takes back one session and keeps another's work on the same file", async () => {
    const folder = await fresh();
    const { sa, sb } = await interleaved();
    expect(await undo(sb)).toMatchObject({ outcome: 'undone' });
    expect([text(folder, 'a'), text(folder, 'b'), text(folder, 'c')]).toEqual(['A', '0', 'A']);
    expect(await undo(sa)).toMatchObject({ outcome: 'undone' });
    expect([text(folder, 'a'), text(folder, 'b'), text(folder, 'c')]).toEqual(['0', '0', '0']);
  }, 60_000);

  it('leaves out what another session built on, and says so', async () => {
    const folder = await fresh();
    const { sa } = await interleaved();
    const report = await undo(sa);
    expect(report).toMatchObject({ outcome: 'partial', report: { left_out: [{ path: 'c', why: 'dependent' }] } });
    expect([text(folder, 'a'), text(folder, 'c')]).toEqual(['0', 'B']);
  }, 60_000);

  it('leaves out what changed outside, with both hashes, and undoes the rest', async () => {
    const folder = await fresh();
    const session = await a.openSession({ task: 'two files' });
    await session.write('a', 'A');
    await session.write('b', 'B');
    writeFileSync(join(folder, 'a'), 'a person was here');
    const report = await undo(session);
    const hash = expect.any(String);
    expect(report).toMatchObject({
      outcome: 'partial',
      report: { left_out: [{ path: 'a', why: 'outside', expected: { hash }, found: { hash } }] },
    });
    expect([text(folder, 'a'), text(folder, 'b')]).toEqual(['a person was here', '0']);
  }, 60_000);

  it('keeps a folder in which a person left something, and undoes the rest', async () => {
    const folder = await fresh();
    const session = await a.openSession({ task: 'a folder' });
    await session.write('f1', '1');
    await session.write('f2', '2');
    const made = await session.apply([{ mkdir: 'pd' }], { reason: 'r' });
    await session.write('pd/f3', '3');
    writeFileSync(join(folder, 'pd/human'), 'a person was here');
    const leftOut = {
      logical_operation_id: made.logicalOperationId,
      path: 'pd',
      why: 'outside',
      message: expect.stringContaining('the folder holds "human", which nobody recorded'),
    };
    const plan = await operator.undoPlan({ by: 'session', session_id: session.id });
    expect(plan.undoes).toHaveLength(3);
    expect(plan.left_out).toMatchObject([leftOut]);
    expect(await operator.undo(plan)).toMatchObject({ outcome: 'partial', report: { left_out: [leftOut] } });
    expect(existsSync(join(folder, 'f1')) || existsSync(join(folder, 'f2'))).toBe(false);
    expect(readdirSync(join(folder, 'pd'))).toEqual(['human']);
    expect(text(folder, 'pd/human')).toBe('a person was here');
  }, 60_000);

  it('takes back one logical operation, one operation, and the undo itself', async () => {
    const folder = await fresh();
    const start = treeOf(folder);
    const session = await a.openSession({ task: 'one by one' });
    const both = await session.apply([{ mkdir: 'd' }, { create: 'd/x', content: 'x' }, { delete: 'b' }], {
      reason: 'r',
    });
    const present = treeOf(folder);
    const plan = await operator.undoPlan({ by: 'logical_operation', logical_operation_id: both.logicalOperationId });
    const undone = await operator.undo(plan);
    expect(treeOf(folder)).toEqual(start);
    const redo = await operator.undoPlan({ by: 'logical_operation', logical_operation_id: undone.logicalOperationId });
    expect(await operator.undo(redo)).toMatchObject({ outcome: 'undone' });
    expect(treeOf(folder)).toEqual(present);
    const one = both.operations.at(-1)!.operation_id;
    await operator.undo(await operator.undoPlan({ by: 'operation', operation_id: one }));
    expect(text(folder, 'b')).toBe('0');
  }, 60_000);

  it("lets an agent take back its own session and not another's", async () => {
    const folder = await fresh();
    const session = await a.openSession({ task: 'mine' });
    await session.write('a', 'A');
    const selection = { by: 'session' as const, session_id: session.id };
    await expect(b.undoPlan(selection)).rejects.toMatchObject({ code: 'not_yours' });
    const plan = await a.undoPlan(selection);
    await expect(b.undo(plan)).rejects.toMatchObject({ name: 'IntentDeniedError' });
    expect(await a.undo(plan)).toMatchObject({ outcome: 'undone' });
    expect(text(folder, 'a')).toBe('0');
  }, 60_000);
});
