import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { ABSENT } from '@retrace/contracts';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
});
afterEach(() => x.dispose());

const applied = { type: 'retrace.operation.applied.v1' };
const failed = (data: object) => ({ type: 'retrace.operation.failed.v1', data });
const stale = (path: string, why: string) => ({ type: 'retrace.intent.stale.v1', data: { paths: [{ path, why }] } });

describe('one operation', () => {
  it('creates a file, and a folder to create one in', async () => {
    expect(await x.run(x.to.create('a.txt', 'A', { mode: 0o600 }))).toMatchObject(applied);
    expect(await x.run(x.to.mkdir('d'), x.to.create('d/b', 'B'))).toMatchObject(applied);
    expect(x.folder.tree()).toEqual({
      'a.txt': 'file 600 QQ==',
      d: 'folder 755',
      'd/b': 'file 644 Qg==',
    });
  });

  it.each(['create', 'write'] as const)('%s of an empty file', async (action) => {
    expect(await x.run(x.to[action]('empty', ''))).toMatchObject(applied);
    expect(x.folder.text('empty')).toBe('');
  });

  it('keeps the exec bit through write and edit, and brings it back with a deleted file', async () => {
    x.folder.put('run.sh', '#!/bin/sh\necho 1\n', 0o755);
    const start = x.folder.tree();
    await x.run(x.to.write('run.sh', '#!/bin/sh\necho 2\n'));
    expect(x.folder.mode('run.sh')).toBe(0o755);
    await x.run(x.to.edit('run.sh', [{ old_text: 'echo 2', new_text: 'echo 3' }]));
    expect([x.folder.mode('run.sh'), x.folder.text('run.sh')]).toEqual([0o755, '#!/bin/sh\necho 3\n']);
    await x.run(x.to.remove('run.sh'));
    await x.idle();
    const restored = await x.restore({
      path: 'run.sh',
      expect: ABSENT,
      restore: fileOf('#!/bin/sh\necho 1\n', 0o755),
    });
    expect(restored).toMatchObject({ ...applied, data: { kind: 'rollback', operations: [{ action: 'restore' }] } });
    expect(x.folder.tree()).toEqual(start);
  });

  it('gives new content no set-id bits, and says that the old file had them', async () => {
    x.folder.put('tool', 'old', 0o4755);
    const outcome = await x.run(x.to.write('tool', 'new'));
    expect(outcome).toMatchObject({
      ...applied,
      data: { operations: [{ notes: [expect.stringContaining('set-id')] }] },
    });
    expect(x.folder.mode('tool')).toBe(0o755);
  });

  it('says that a file has other names, and that a delete cuts them off', async () => {
    x.folder.put('a', '1');
    fs.linkSync(x.folder.full('a'), x.folder.full('b'));
    expect(await x.run(x.to.write('a', '2'))).toMatchObject({
      data: { operations: [{ notes: [expect.stringContaining('2 names')] }] },
    });
    const lost = expect.arrayContaining(['the hard link to its other names']);
    expect(await x.run(x.to.remove('a'))).toMatchObject({ data: { operations: [{ undo_coverage: { lost } }] } });
  });

  it('touches nothing once its root is not where it was', async () => {
    x.folder.put('a', '1');
    fs.renameSync(x.folder.root, `${x.folder.root}-moved`);
    fs.mkdirSync(x.folder.root);
    expect(await x.run(x.to.write('a', '2'))).toMatchObject(failed({ code: 'workspace_unavailable' }));
    expect(fs.readFileSync(`${x.folder.root}-moved/a`, 'utf8')).toBe('1');
    fs.rmdirSync(x.folder.root);
    fs.renameSync(`${x.folder.root}-moved`, x.folder.root);
  });

  it('edits CRLF lines by an LF text', async () => {
    x.folder.put('f.txt', 'foo\r\nbar\r\n');
    await x.run(x.to.edit('f.txt', [{ old_text: 'foo\nbar', new_text: 'foo\nbaz\nbar' }]));
    expect(x.folder.text('f.txt')).toBe('foo\r\nbaz\r\nbar\r\n');
  });

  it('keeps the byte-order mark in an edit; a write that drops it says so', async () => {
    const marked = Buffer.from('\uFEFF<root/>\r\n');
    x.folder.put('a.resx', marked);
    x.folder.put('b.resx', marked);
    x.folder.put('large.resx', Buffer.concat([marked, Buffer.alloc(100_000, 32)]));
    const edited = await x.run(x.to.edit('a.resx', [{ old_text: '<root/>', new_text: '<root></root>' }]));
    expect(x.folder.bytes('a.resx')).toEqual(Buffer.from('\uFEFF<root></root>\r\n'));
    expect(edited).toMatchObject({ data: { operations: [{ notes: [], parameters: { matches: 1 } }] } });
    for (const path of ['b.resx', 'large.resx'])
      expect(await x.run(x.to.write(path, '<root/>'))).toMatchObject({
        data: { operations: [{ notes: [expect.stringContaining('byte-order mark')] }] },
      });
    expect(x.folder.text('b.resx')).toBe('<root/>');
  });

  it.each(['app/[id]/page.tsx', 'two\nlines', 'a*b?{c}', 'quote\'"\\', ' ', 'naïve', 'na\u0069\u0308ve'])(
    'takes the name %j literally',
    async (path) => {
      x.folder.put('app/i/page.tsx', 'M');
      fs.mkdirSync(x.folder.full('app/[id]'));
      expect(await x.run(x.to.write(path, 'L'))).toMatchObject(applied);
      expect(await x.run(x.to.write(path, 'L2'))).toMatchObject(applied);
      expect([x.folder.text(path), x.folder.text('app/i/page.tsx')]).toEqual(['L2', 'M']);
    },
  );

  it('refuses a create where something stands, and says what', async () => {
    x.folder.put('a', 'A');
    expect(await x.run(x.to.create('a', 'B'))).toMatchObject(
      failed({ code: 'exists', path: 'a', failed_at: 0, found: fileOf('A'), needs_attention: [] }),
    );
    expect(x.folder.text('a')).toBe('A');
  });

  it('refuses edits without a match or with several, and makes all of them when asked', async () => {
    x.folder.put('a', 'x x');
    expect(await x.run(x.to.edit('a', [{ old_text: 'y', new_text: 'z' }]))).toMatchObject(
      failed({ code: 'edit_no_match' }),
    );
    expect(await x.run(x.to.edit('a', [{ old_text: 'x', new_text: 'z' }]))).toMatchObject(
      failed({ code: 'edit_ambiguous', message: expect.stringContaining('2 times') }),
    );
    expect(x.folder.text('a')).toBe('x x');
    await x.run(x.to.edit('a', [{ old_text: 'x', new_text: '$&', all: true }]));
    expect(x.folder.text('a')).toBe('$& $&');
  });

  it('refuses edits that are no edits', async () => {
    x.folder.put('a', 'A');
    const operation = x.to.write('a', '{"edits": []}');
    const request = { ...operation.request, action: 'edit' } as typeof operation.request;
    expect(await x.run({ ...operation, request })).toMatchObject(failed({ code: 'edit_blob_invalid' }));
  });

  it('refuses a path whose folder is missing or is a file', async () => {
    x.folder.put('f', 'F');
    expect(await x.run(x.to.create('d/a', 'A'))).toMatchObject(
      failed({ code: 'absent', message: expect.stringContaining('mkdir') }),
    );
    expect(await x.run(x.to.create('f/a', 'A'))).toMatchObject(failed({ code: 'not_a_folder' }));
    expect(x.folder.tree()).toEqual({ f: 'file 644 Rg==' });
  });

  it('deletes a file, a link and an empty folder; a folder that holds something is refused', async () => {
    x.folder.put('d/a', 'A');
    fs.symlinkSync('a', x.folder.full('d/l'));
    expect(await x.run(x.to.remove('d'))).toMatchObject(failed({ code: 'not_empty' }));
    expect(await x.run(x.to.remove('d/a'), x.to.remove('d/l'), x.to.remove('d'))).toMatchObject(applied);
    expect(x.folder.tree()).toEqual({});
    expect(await x.run(x.to.remove('d'))).toMatchObject(failed({ code: 'absent' }));
  });

  it('never opens, replaces or deletes a FIFO', async () => {
    const { spawnSync } = await import('node:child_process');
    spawnSync('mkfifo', [x.folder.full('pipe')]);
    expect(await x.run(x.to.remove('pipe'))).toMatchObject(
      failed({ code: 'not_a_file', message: expect.stringContaining('fifo') }),
    );
    expect(await x.run(x.to.write('pipe', 'A'))).toMatchObject(failed({ code: 'not_a_file' }));
    expect(await x.run(x.to.edit('pipe', [{ old_text: 'a', new_text: 'b' }]))).toMatchObject(
      failed({ code: 'not_a_file' }),
    );
    expect(fs.statSync(x.folder.full('pipe')).isFIFO()).toBe(true);
  });

  it('notes that a folder to make was there', async () => {
    fs.mkdirSync(x.folder.full('d'), { mode: 0o700 });
    expect(await x.run(x.to.mkdir('d'))).toMatchObject({
      ...applied,
      data: { operations: [{ notes: ['the folder was there already'], parameters: { overwrite: false } }] },
    });
    expect(x.folder.mode('d')).toBe(0o700);
  });

  it('leaves all other files alone, their times and inodes included', async () => {
    for (let i = 0; i < 20; i++) {
      x.folder.put(`f${i}`, `${i}`);
      fs.utimesSync(x.folder.full(`f${i}`), 978_307_200, 978_307_200);
    }
    const stats = () => Array.from({ length: 18 }, (_, i) => fs.statSync(x.folder.full(`f${i + 2}`), { bigint: true }));
    const before = stats().map(({ ino, mtimeNs, ctimeNs }) => [ino, mtimeNs, ctimeNs]);
    await x.run(x.to.write('f0', 'new'), x.to.edit('f1', [{ old_text: '1', new_text: 'one' }]));
    await x.restore({ path: 'f1', expect: fileOf('one'), restore: fileOf('1') });
    expect(stats().map(({ ino, mtimeNs, ctimeNs }) => [ino, mtimeNs, ctimeNs])).toEqual(before);
  });
});

describe('links', () => {
  it('asks policy again when a write or edit would act through a link', async () => {
    x.folder.put('shared/c.json', '{}');
    fs.symlinkSync('shared/c.json', x.folder.full('c.json'));
    expect(await x.run(x.to.write('c.json', '{"a":1}'))).toMatchObject(stale('c.json', 'link'));
    expect(await x.run(x.to.edit('c.json', [{ old_text: '{}', new_text: '' }]))).toMatchObject(stale('c.json', 'link'));
    expect([x.folder.text('shared/c.json'), fs.readlinkSync(x.folder.full('c.json'))]).toEqual(['{}', 'shared/c.json']);
  });

  it('asks policy again when a link lies on the way, wherever it leads', async () => {
    fs.mkdirSync(x.folder.full('real'));
    fs.symlinkSync('real', x.folder.full('inside'));
    fs.symlinkSync('/etc', x.folder.full('outside'));
    fs.symlinkSync('nowhere', x.folder.full('dangling'));
    for (const path of ['inside/a', 'outside/a', 'dangling/a', 'dangling'])
      expect(await x.run(x.to.write(path, 'A'))).toMatchObject(stale(path, 'link'));
    expect(fs.readdirSync(x.folder.full('real'))).toEqual([]);
  });

  it('writes below a folder that took the place of a link or a file in the same logical operation', async () => {
    fs.symlinkSync('/etc', x.folder.full('l'));
    x.folder.put('f', 'F');
    for (const path of ['l', 'f'])
      expect(
        await x.run(x.to.remove(path), x.to.mkdir(path), x.to.create(`${path}/hosts`, 'mine'), x.to.mkdir(`${path}/d`)),
      ).toMatchObject(applied);
    expect([x.folder.text('l/hosts'), x.folder.text('f/hosts')]).toEqual(['mine', 'mine']);
  });
});
