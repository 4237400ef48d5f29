import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, MODES, RetraceSystem } from '@retrace/testing';

describe.each(MODES)('retrace rebuild, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;

  beforeAll(async () => {
    await system.start();
    bed = await Bed.make(system, 'books', { a: '0' });
  }, 120_000);
  afterAll(async () => {
    await bed.close();
    await system.dispose();
  }, 60_000);

  it('answers the same before, meanwhile and after, with what is written meanwhile', async () => {
    const session = await bed.a.openSession({ task: 'books' });
    for (let i = 0; i < 20; i += 1) await session.write('a', String(i));
    await bed.undo({ by: 'step', session_id: session.id, step: 20 });
    await bed.operator.catchUp();
    const before = await bed.operator.log({ limit: 1000 });
    const running = system.must('rebuild', '--workspace', 'books');
    const written = await session.write('b', 'meanwhile');
    await running;
    await bed.operator.catchUp();
    const after = await bed.operator.log({ limit: 1000 });
    expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(after.entries.at(-1)).toMatchObject({ logical_operation_id: written.logicalOperationId });
    await expect(bed.a.rebuild()).rejects.toMatchObject({ code: 'forbidden' });
  }, 90_000);
});
