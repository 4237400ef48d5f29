import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, MODES, RetraceSystem } from '@retrace/testing';

const FILES = 10_000;

describe.each(MODES)('a logical operation of 10,000 files, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;

  beforeAll(async () => {
    await system.start();
    bed = await Bed.make(system, 'large', { keep: 'k' });
  }, 120_000);
  afterAll(async () => {
    await bed.close();
    await system.dispose();
  }, 60_000);

  it('is created, renamed, removed and taken back, each as one', async () => {
    const session = await bed.a.openSession({ task: 'large' });
    const before = bed.tree();
    const folders = Array.from({ length: 100 }, (_, i) => ({ mkdir: `big/d${i}`, parents: true }));
    await session.apply(folders, { reason: 'folders', timeoutMs: 120_000 });
    const files = Array.from({ length: FILES }, (_, i) => ({ create: `big/d${i % 100}/f${i}`, content: `file ${i}` }));
    const created = await session.apply(files, { reason: 'files', timeoutMs: 120_000 });
    expect(created.operations).toHaveLength(FILES);
    const full = bed.tree();
    expect(Object.keys(full)).toHaveLength(2 + 100 + FILES);
    await session.move('big', 'bigger', { timeoutMs: 120_000 });
    expect(existsSync(join(bed.folder, 'big'))).toBe(false);
    await session.delete('bigger', { recursive: true, reason: 'all of it', timeoutMs: 120_000 });
    expect(bed.tree()).toEqual(before);

    const undo = async (step: number) => {
      const plan = await bed.operator.undoPlan({ by: 'step', session_id: session.id, step });
      return bed.operator.undo(plan, { timeoutMs: 120_000 });
    };
    expect(await undo(4)).toMatchObject({ outcome: 'undone' });
    expect(await undo(3)).toMatchObject({ outcome: 'undone' });
    expect(bed.tree()).toEqual(full);
    expect(await undo(2)).toMatchObject({ outcome: 'undone' });
    expect(await undo(1)).toMatchObject({ outcome: 'undone' });
    expect(bed.tree()).toEqual(before);
  }, 300_000);
});
