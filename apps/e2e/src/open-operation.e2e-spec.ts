import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, eventually, MODES, RetraceSystem } from '@retrace/testing';

describe.each(MODES)('a logical operation that several intents fill, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;
  let count = 0;

  beforeAll(() => system.start(), 120_000);
  afterEach(() => bed.close());
  afterAll(() => system.dispose(), 60_000);

  const start = async (files: Readonly<Record<string, string>> = { a: '0' }) => {
    bed = await Bed.make(system, `o${(count += 1)}`, files);
    return bed.a.openSession({ task: 'open' });
  };

  it('is one whole once it is committed', async () => {
    const session = await start();
    const before = bed.tree();
    const open = await session.begin({ reason: 'two parts' });
    await open.write('a', '1');
    await open.create('b', '2');
    await open.commit();
    await expect(open.write('a', 'late')).rejects.toMatchObject({ code: 'logical_operation_closed' });
    await bed.operator.catchUp();
    const { entries } = await bed.operator.log();
    expect(entries.filter(({ logical_operation_id }) => logical_operation_id === open.id)).toMatchObject([
      { path_count: 2, open: false },
    ]);
    const step = { by: 'step' as const, session_id: session.id, step: 1 };
    expect(await bed.undo(step)).toMatchObject({ outcome: 'undone' });
    expect(bed.tree()).toEqual(before);
  }, 60_000);

  it('leaves nothing when it is aborted, and only abort is left after a part that failed', async () => {
    const session = await start();
    const before = bed.tree();
    const open = await session.begin({ reason: 'gives up' });
    await open.write('a', '1');
    await open.move('a', 'c');
    await expect(open.create('c', 'x')).rejects.toMatchObject({ code: 'exists' });
    await expect(open.commit()).rejects.toMatchObject({ code: 'logical_operation_failed' });
    await expect(session.complete()).rejects.toMatchObject({ code: 'logical_operation_open' });
    await open.abort({ reason: 'no use' });
    expect(bed.tree()).toEqual(before);
    await session.complete();
  }, 60_000);

  it('is aborted when its time is over, also after everything died meanwhile', async () => {
    const session = await start();
    const before = bed.tree();
    const open = await session.begin({ reason: 'forgotten', timeoutMs: 3_000 });
    await open.write('a', '1');
    if (mode === 'standalone') {
      await system.end('SIGKILL');
      await sleep(1_000);
      await system.start();
    }
    await eventually(() => expect(bed.tree()).toEqual(before), 30_000);
    await expect(open.write('a', 'late')).rejects.toMatchObject({ code: 'logical_operation_closed' });
  }, 90_000);
});
