import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Retrace, Session } from '@retrace/client';
import type { LogicalOperationId, SessionId } from '@retrace/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { addWorkspace, RetraceSystem, treeOf } from '@retrace/testing';

const MARK = '\uFEFF';

/** Small inputs that went wrong for people elsewhere; each stands for a kind. */
describe('inputs that broke other tools', () => {
  const system = new RetraceSystem('standalone');
  let agent: Retrace;
  let operator: Retrace;
  let folder: string;
  let count = 0;

  beforeAll(() => system.start(), 120_000);
  afterEach(() => Promise.all([agent.close(), operator.close()]));
  afterAll(() => system.dispose(), 60_000);

  const start = async (files: Readonly<Record<string, string>>): Promise<Session> => {
    const name = `case-${(count += 1)}`;
    folder = await addWorkspace(system, name, files, ['agent']);
    [agent, operator] = (await Promise.all(['agent', '_op-local'].map((who) => system.connect(who, name)))) as [
      Retrace,
      Retrace,
    ];
    return agent.openSession({ task: name });
  };
  const bytes = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const mode = (path: string): string => (lstatSync(join(folder, path)).mode & 0o777).toString(8);
  const undoSession = async (id: SessionId) =>
    operator.undo(await operator.undoPlan({ by: 'session', session_id: id }));

  it('a batch that fails midway leaves everything where it was (2)', async () => {
    const session = await start({ 'p1.txt': '1', 'p2.txt': '2', out: 'a file' });
    const before = treeOf(folder);
    const moves = ['p1.txt', 'p2.txt'].map((path) => ({ move: path, to: `out/${path}` }));
    const batch = session.apply([{ write: 'new.txt', content: 'x' }, { mkdir: 'out' }, ...moves], { reason: 'batch' });
    const failed = await batch.catch((error: { logicalOperationId: LogicalOperationId }) => error);
    expect(failed).toMatchObject({ name: 'OperationFailedError', code: 'exists', failedAt: 1 });
    expect(treeOf(folder)).toEqual(before);
    const selection = {
      by: 'logical_operation' as const,
      logical_operation_id: failed.logicalOperationId,
    };
    await expect(operator.undoPlan(selection)).rejects.toMatchObject({ code: 'nothing_to_undo' });
  });

  it('files moved one after another to a folder that was never made do not eat each other (2)', async () => {
    const session = await start({ 'p1.txt': '1', 'p2.txt': '2', 'p3.txt': '3' });
    await session.move('p1.txt', 'out');
    for (const path of ['p2.txt', 'p3.txt'])
      await expect(session.move(path, 'out')).rejects.toMatchObject({ code: 'exists' });
    expect(['out', 'p2.txt', 'p3.txt'].map(bytes)).toEqual(['1', '2', '3']);
  });

  it('an edit keeps the byte-order mark; a write that drops it says so; undo brings it back (4)', async () => {
    const session = await start({ 'Strings.resx': `${MARK}<root/>\r\n`, 'copy.resx': `${MARK}<root/>\r\n` });
    await session.edit('Strings.resx', [{ oldText: '<root/>', newText: '<root></root>' }]);
    expect(bytes('Strings.resx')).toBe(`${MARK}<root></root>\r\n`);
    const written = await session.write('copy.resx', '<root/>\r\n');
    expect(bytes('copy.resx')).toBe('<root/>\r\n');
    expect(written.operations[0]!.notes).toEqual([expect.stringContaining('byte-order mark')]);
    await undoSession(session.id);
    expect([bytes('Strings.resx'), bytes('copy.resx')]).toEqual([`${MARK}<root/>\r\n`, `${MARK}<root/>\r\n`]);
  });

  it('a patch written with LF leaves a CRLF file with CRLF (6)', async () => {
    const session = await start({ 'f.txt': 'foo\r\nbar\r\n' });
    await session.edit('f.txt', [{ oldText: 'foo\nbar', newText: 'foo\nbaz\nbar' }]);
    expect(bytes('f.txt')).toBe('foo\r\nbaz\r\nbar\r\n');
    await undoSession(session.id);
    expect(bytes('f.txt')).toBe('foo\r\nbar\r\n');
  });

  it.each([
    ['a path', ['--file', 'app/[id]/page.tsx'], ['L', 'M2']],
    ['a glob with the brackets escaped', ['--path', 'app/\\[id\\]/page.tsx'], ['L', 'M2']],
    ['a glob with a set', ['--path', 'app/[id]/page.tsx'], ['L2', 'M']],
  ])('brackets in %s mean what they say, and the preview names what will change (8)', async (_, selection, left) => {
    const session = await start({ 'app/[id]/page.tsx': 'L', 'app/i/page.tsx': 'M' });
    await session.write('app/[id]/page.tsx', 'L2');
    await session.write('app/i/page.tsx', 'M2');
    const undo = ['undo', ...selection, '--session', session.id, '--workspace', operator.workspace, '--json'];
    const preview = await system.cli(...undo, '--dry-run');
    const { plan } = JSON.parse(preview.stdout) as { plan: { steps: { path: string }[] } };
    expect(plan.steps.map(({ path }) => path)).toEqual([left[0] === 'L' ? 'app/[id]/page.tsx' : 'app/i/page.tsx']);
    expect([bytes('app/[id]/page.tsx'), bytes('app/i/page.tsx')]).toEqual(['L2', 'M2']);
    expect(await system.cli(...undo, '--yes')).toMatchObject({ status: 0 });
    expect([bytes('app/[id]/page.tsx'), bytes('app/i/page.tsx')]).toEqual(left);
  });

  it('a script stays executable through write, edit, delete and undo (10)', async () => {
    const session = await start({ 'run.sh': '#!/bin/sh\necho 1\n' });
    chmodSync(join(folder, 'run.sh'), 0o755);
    await session.write('run.sh', '#!/bin/sh\necho 2\n');
    expect(mode('run.sh')).toBe('755');
    await session.edit('run.sh', [{ oldText: 'echo 2', newText: 'echo $1 $& 3' }]);
    expect([mode('run.sh'), bytes('run.sh')]).toEqual(['755', '#!/bin/sh\necho $1 $& 3\n']);
    await session.delete('run.sh', { reason: 'gone' });
    await undoSession(session.id);
    expect([mode('run.sh'), bytes('run.sh')]).toEqual(['755', '#!/bin/sh\necho 1\n']);
  });

  it('a write through a link changes its target and keeps the link (12)', async () => {
    const session = await start({ 'shared/c.json': '{}' });
    symlinkSync('shared/c.json', join(folder, 'c.json'));
    const { operations } = await session.write('c.json', '{"a":1}');
    expect([readlinkSync(join(folder, 'c.json')), bytes('shared/c.json')]).toEqual(['shared/c.json', '{"a":1}']);
    expect(operations[0]!.path).toEqual({ typed: 'c.json', canonical: 'shared/c.json' });
    await undoSession(session.id);
    expect([readlinkSync(join(folder, 'c.json')), bytes('shared/c.json')]).toEqual(['shared/c.json', '{}']);
  });

  it('links that leave the root are neither read nor written through (16, 18)', async () => {
    const session = await start({ 'a.md': 'a' });
    symlinkSync('/etc/passwd', join(folder, 'l'));
    symlinkSync('/etc', join(folder, 'd'));
    mkdirSync(`${folder}-evil`);
    writeFileSync(join(`${folder}-evil`, 'x'), 'secret');
    for (const path of ['l', 'd/passwd', `../${folder.split('/').at(-1)}-evil/x`, `${folder}-evil/x`])
      await expect(agent.read(path)).rejects.toMatchObject({
        code: expect.stringMatching(/outside_root|path_escapes|path_absolute/),
      });
    await expect(session.write('l', 'x')).rejects.toMatchObject({ name: expect.stringMatching(/Denied|Failed/) });
    await expect(session.create('d/new', 'x')).rejects.toMatchObject({ name: expect.stringMatching(/Denied|Failed/) });
    expect(existsSync('/etc/new')).toBe(false);
  });

  it('a protected name is another file where case counts, and protected in any case (20)', async () => {
    const session = await start({});
    await expect(session.create('.GIT/config', 'x')).rejects.toMatchObject({ code: 'protected_path' });
    await expect(session.create('a/.git', 'x')).rejects.toMatchObject({ code: 'protected_path' });
  });

  it('undoing a change of an ignore rule deletes nothing that it protected (24)', async () => {
    const session = await start({ '.gitignore': 'dist\n' });
    await session.edit('.gitignore', [{ oldText: 'dist\n', newText: 'dist\nlocal.db\n' }]);
    writeFileSync(join(folder, 'local.db'), 'mine');
    await undoSession(session.id);
    expect([bytes('.gitignore'), bytes('local.db')]).toEqual(['dist\n', 'mine']);
  });

  it('undo of an undo touches the recorded paths alone (26)', async () => {
    const session = await start({ 'pkg1/a': '0', 'pkg2/b': '0' });
    await session.write('pkg1/a', '1');
    const from = join(folder, 'pkg1');
    const workspace = ['--workspace', operator.workspace];
    const undone = await system.cliIn(from, 'undo', '--session', session.id, '--yes', ...workspace);
    expect(undone).toMatchObject({ status: 0 });
    expect([bytes('pkg1/a'), bytes('pkg2/b')]).toEqual(['0', '0']);
    writeFileSync(join(folder, 'pkg2/b'), 'P');
    expect(await system.cliIn(from, 'redo', '--yes', ...workspace)).toMatchObject({ status: 0 });
    expect([bytes('pkg1/a'), bytes('pkg2/b')]).toEqual(['1', 'P']);
  });

  it('undo leaves times and inodes of other files alone (30)', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `f${i}`);
    const session = await start(Object.fromEntries(names.map((name) => [name, '0'])));
    const old = new Date('2001-01-01T00:00:00Z');
    for (const name of names) utimesSync(join(folder, name), old, old);
    const stamp = (name: string) => [lstatSync(join(folder, name)).ino, lstatSync(join(folder, name)).mtimeMs];
    const others = names.slice(2).map(stamp);
    await session.write('f0', '1');
    await session.write('f1', '1');
    await undoSession(session.id);
    expect(names.slice(2).map(stamp)).toEqual(others);
    expect([bytes('f0'), bytes('f1')]).toEqual(['0', '0']);
  });

  it('a FIFO is refused by its type and hangs nobody (34)', async () => {
    const session = await start({ 'n.txt': 'N' });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(agent.read('pipe')).rejects.toMatchObject({
      code: 'not_a_file',
      message: expect.stringContaining('fifo'),
    });
    await expect(session.write('pipe', 'x')).rejects.toMatchObject({ code: 'not_a_file' });
    await expect(session.delete('pipe', { reason: 'r' })).rejects.toMatchObject({ code: 'not_a_file' });
    await session.write('n.txt', 'M');
    await undoSession(session.id);
    expect(bytes('n.txt')).toBe('N');
  });
});
