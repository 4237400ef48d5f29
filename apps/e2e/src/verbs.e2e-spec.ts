import { chmodSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, MODES, RetraceSystem } from '@retrace/testing';

describe.each(MODES)('every verb, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;
  let count = 0;

  beforeAll(() => system.start(), 120_000);
  afterEach(() => bed.close());
  afterAll(() => system.dispose(), 60_000);

  const start = async (files: Readonly<Record<string, string>>) => {
    bed = await Bed.make(system, `v${(count += 1)}`, files);
    return bed.a.openSession({ task: 'verbs' });
  };
  const undoAll = (id: string) => bed.undo({ by: 'session', session_id: id as never });

  it('append, chmod, symlink, mkdir with parents, rmdir', async () => {
    const session = await start({ a: 'one\n' });
    const before = bed.tree();
    await session.append('a', 'two\n');
    await session.append('log', 'first\n');
    await session.chmod('a', 0o755);
    await session.symlink('to-a', 'a');
    await session.mkdir('x/y/z', { parents: true });
    await session.rmdir('x/y/z');
    expect([bed.text('a'), bed.text('log'), readlinkSync(join(bed.folder, 'to-a'))]).toEqual([
      'one\ntwo\n',
      'first\n',
      'a',
    ]);
    expect(bed.tree()).toMatchObject({ a: expect.stringContaining('755'), 'x/y': 'folder 755' });
    expect(bed.tree()).not.toHaveProperty('x/y/z');
    expect(await undoAll(session.id)).toMatchObject({ outcome: 'undone' });
    expect(bed.tree()).toEqual(before);
  }, 60_000);

  it('a moved file is the same file, also after the undo', async () => {
    const session = await start({ 'd/a': 'A', 'e/b': 'B' });
    const before = bed.tree();
    const old = new Date('2001-01-01T00:00:00Z');
    utimesSync(join(bed.folder, 'd/a'), old, old);
    const identity = (path: string) => {
      const { ino, mtimeMs } = lstatSync(join(bed.folder, path));
      return [ino, mtimeMs];
    };
    const file = identity('d/a');
    await session.move('d/a', 'e/a');
    expect([identity('e/a'), bed.text('e/a')]).toEqual([file, 'A']);
    await expect(session.move('e/a', 'e/b')).rejects.toMatchObject({ code: 'exists' });
    await session.move('e/a', 'e/b', { overwrite: true });
    expect([bed.text('e/b'), Object.keys(bed.tree())]).toEqual(['A', ['d', 'e', 'e/b']]);
    await undoAll(session.id);
    expect(bed.tree()).toEqual(before);
    expect(identity('d/a')).toEqual(file);
  }, 60_000);

  it('a folder is moved, copied and removed with all that is in it, and comes back', async () => {
    const session = await start({ 't/a.txt': 'A', 't/sub/b.txt': 'B', 't/run.sh': '#!/bin/sh\n' });
    chmodSync(join(bed.folder, 't/run.sh'), 0o750);
    mkdirSync(join(bed.folder, 't/empty'), { mode: 0o700 });
    symlinkSync('a.txt', join(bed.folder, 't/link'));
    const before = bed.tree();
    const below = (tree: Record<string, string>, folder: string) =>
      Object.fromEntries(
        Object.entries(tree)
          .filter(([path]) => path === folder || path.startsWith(`${folder}/`))
          .map(([path, state]) => [path.slice(folder.length), state]),
      );
    await session.copy('t', 'copy', { recursive: true });
    expect(below(bed.tree(), 'copy')).toEqual(below(before, 't'));
    await session.move('t', 'moved');
    expect(below(bed.tree(), 'moved')).toEqual(below(before, 't'));
    expect(bed.tree()).not.toHaveProperty('t');
    await session.delete('copy', { recursive: true, reason: 'a copy' });
    await expect(session.delete('moved', { reason: 'not empty' })).rejects.toMatchObject({ code: 'not_empty' });
    await expect(session.move('moved', 'moved/inside')).rejects.toMatchObject({ code: 'into_itself' });
    await session.delete('moved', { recursive: true, reason: 'all of it' });
    expect(bed.tree()).toEqual({});
    expect(await undoAll(session.id)).toMatchObject({ outcome: 'undone' });
    expect(bed.tree()).toEqual(before);
  }, 60_000);

  it('one logical operation of moves into a folder that is not one leaves everything where it was', async () => {
    const session = await start({ 'p1.txt': '1', 'p2.txt': '2', 'p3.txt': '3', out: 'a file' });
    const before = bed.tree();
    const moves = ['p1.txt', 'p2.txt', 'p3.txt'].map((path) => ({ move: path, to: `out/${path}` }));
    await expect(session.apply([{ mkdir: 'out' }, ...moves], { reason: 'sort' })).rejects.toMatchObject({
      code: 'exists',
      failedAt: 0,
    });
    expect(bed.tree()).toEqual(before);
  }, 60_000);

  it("carries nobody's repository away", async () => {
    const session = await start({ 'vendor/lib/x.c': '0', 'vendor/lib/.git/HEAD': 'ref: refs/heads/main\n' });
    const before = bed.tree();
    for (const refused of [
      session.delete('vendor', { recursive: true, reason: 'old' }),
      session.move('vendor', 'third-party'),
    ])
      await expect(refused).rejects.toMatchObject({
        code: 'protected_path',
        path: expect.stringMatching(/lib\/\.git/),
      });
    expect(bed.tree()).toEqual(before);
  }, 60_000);
});
