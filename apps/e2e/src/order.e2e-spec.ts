import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Retrace } from '@retrace/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addWorkspace, MODES, RetraceSystem } from '@retrace/testing';

describe.each(MODES)('the order of one session, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let folder: string;
  let writer: Retrace;

  beforeAll(async () => {
    await system.start();
    folder = await addWorkspace(system, 'notes', { 'a.md': 'zero\n' }, ['writer']);
    writer = await system.connect('writer', 'notes');
  }, 120_000);
  afterAll(async () => {
    await writer?.close();
    await system.dispose();
  }, 60_000);

  it('keeps two pipelined writes on one path in the order of their publication', async () => {
    const session = await writer.openSession({ task: 'two writes' });
    const [first, second] = await Promise.all([session.write('a.md', 'one\n'), session.write('a.md', 'two\n')]);
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('two\n');
    expect(first.sequence).toBeLessThan(second.sequence);
    expect(second.operations[0]!.state_snapshot_before).toMatchObject({ sequence: first.sequence });
  });

  it('keeps two pipelined writes in order that reach one file through a link to its folder', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'linked'));
    const session = await writer.openSession({ task: 'two writes through a link' });
    for (let round = 0; round < 5; round += 1) {
      const contents = [`${round} one\n`, `${round} two\n`] as const;
      await Promise.all(contents.map((content) => session.write('linked/a.md', content)));
      expect(readFileSync(join(folder, 'real/a.md'), 'utf8')).toBe(contents[1]);
    }
  });

  it('makes a folder before the write into it that was sent right behind', async () => {
    const session = await writer.openSession({ task: 'a folder, then a file in it' });
    await Promise.all([session.mkdir('new'), session.create('new/a.md', 'in it\n')]);
    expect(readFileSync(join(folder, 'new/a.md'), 'utf8')).toBe('in it\n');
  });

  it('keeps a hundred pipelined writes in order', async () => {
    const session = await writer.openSession({ task: 'many writes' });
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    const applied = await Promise.all(numbers.map((i) => session.write('many.md', `${i}\n`)));
    expect(readFileSync(join(folder, 'many.md'), 'utf8')).toBe('99\n');
    const sequences = applied.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  });
});
