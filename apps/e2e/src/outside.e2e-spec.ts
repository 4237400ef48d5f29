import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, MODES, RetraceSystem } from '@retrace/testing';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.each(MODES)('what others did meanwhile, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;
  let count = 0;

  beforeAll(() => system.start(), 120_000);
  afterEach(() => bed.close());
  afterAll(() => system.dispose(), 60_000);

  const start = async (files: Readonly<Record<string, string>>) => {
    bed = await Bed.make(system, `q${(count += 1)}`, files);
    return bed.a.openSession({ task: 'outside' });
  };

  it("refuses to lose a person's edit that nobody has read, by both hashes", async () => {
    const session = await start({ f: '0', g: '0' });
    bed.put('f', 'a person was here');
    const states = { expected: { hash: hash('0') }, found: { hash: hash('a person was here') } };
    for (const change of [
      () => session.write('f', 'x'),
      () => session.delete('f', { reason: 'r' }),
      () => session.move('g', 'f', { overwrite: true }),
      () => session.copy('g', 'f', { overwrite: true }),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'changed_outside', path: 'f', ...states });
    expect(bed.text('f')).toBe('a person was here');
    await session.read('f');
    await session.write('f', 'read and decided');
    expect(bed.text('f')).toBe('read and decided');
    await bed.undo({ by: 'session', session_id: session.id });
    expect(bed.text('f')).toBe('a person was here');
  }, 60_000);

  it('refuses a lost update and names the last writer', async () => {
    const session = await start({ f: '0' });
    await session.read('f');
    const other = await bed.b.openSession({ task: 'quicker' });
    await other.write('f', 'B');
    await expect(session.write('f', 'A')).rejects.toMatchObject({
      name: 'LostUpdateError',
      code: 'expected_mismatch',
      message: expect.stringMatching(new RegExp(`agent-b in ${other.id}`)),
    });
    expect(bed.text('f')).toBe('B');
    await session.read('f');
    await session.write('f', 'A');
    expect(bed.text('f')).toBe('A');
  }, 60_000);

  it("keeps what stood there before the first agent came: the first overwrite of a person's file comes back", async () => {
    const session = await start({ 'd/f': 'a person wrote this', '.gitignore': 'ignored\n', ignored: 'i' });
    const { workspaces } = await bed.operator.workspaces();
    expect(workspaces.find(({ name }) => name === bed.name)?.baseline).toMatchObject({
      files: 2,
      ignored_entries: 1,
    });
    expect(await bed.operator.stat('d/f')).toMatchObject({
      state: { hash: hash('a person wrote this') },
      recorded: { state: { hash: hash('a person wrote this') }, operation_id: null },
    });
    const { operations } = await session.write('d/f', 'an agent wrote this');
    expect(operations[0]!.state_snapshot_before.sequence).toEqual(expect.any(Number));
    rmSync(join(bed.folder, 'ignored'));
    await bed.undo({ by: 'session', session_id: session.id });
    expect(bed.text('d/f')).toBe('a person wrote this');
  }, 60_000);
});
