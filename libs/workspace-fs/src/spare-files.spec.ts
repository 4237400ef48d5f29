import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, type PathState } from '@retrace/contracts';
import koffi from 'koffi';
import fs from 'node:fs';
import { openWorkspaceRoot } from './control-folder.js';
import { withHandle } from './handles.js';
import { libc } from './libc.js';
import { stage } from './stage.js';
import { listStaged, openStaged, spareStaged } from './staging.js';
import { fileOf, linkTo, temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

const setxattr: (path: string, name: string, value: string, size: number, flags: number) => number = koffi
  .load(null)
  .func('int setxattr(const char *path, const char *name, const char *value, size_t size, int flags)');
const staged = (name = 's'): string => w.full(`.retrace/staging/${name}`);
const spares = (): string[] => fs.readdirSync(w.full('.retrace/spare'));

function put(content: string, to: PathState = fileOf(content), stageName = 's'): void {
  stage(w.root, { path: 'f', from: ABSENT, to, stageName }, () => Buffer.from(content));
}

/** A file that is not needed any more; answers its inode. */
function spare(content: string, prepare = (): void => {}, mode = 0o644): number {
  put(content, fileOf(content, mode));
  const { ino } = fs.statSync(staged());
  prepare();
  expect(spareStaged(w.root, 's')).toBe(true);
  expect(listStaged(w.root)).toEqual([]);
  return ino;
}

describe('spare files', () => {
  it('take new content: as long, longer, shorter, none, with the mode that is asked for', () => {
    const ino = spare('old content');
    for (const text of ['new content', 'longer than the old content', 'short', '']) {
      put(text, fileOf(text, 0o640));
      expect(fs.readFileSync(staged(), 'utf8')).toBe(text);
      expect(fs.statSync(staged())).toMatchObject({ ino, mode: 0o100640 });
      spareStaged(w.root, 's');
    }
  });

  it.each(['r', 'r+'])('leave an old version to whoever has it open (%s)', (flags) => {
    let fd = -1;
    const ino = spare('old', () => (fd = fs.openSync(staged(), flags)));
    put('new');
    expect(fs.statSync(staged()).ino).not.toBe(ino);
    expect(fs.readFileSync(fd, 'utf8')).toBe('old');
    fs.closeSync(fd);
    expect(fs.readFileSync(staged(), 'utf8')).toBe('new');
  });

  it('do not take a file with another name', () => {
    const ino = spare('old', () => fs.linkSync(staged(), w.full('other')));
    put('new');
    expect(fs.statSync(staged()).ino).not.toBe(ino);
    expect(fs.readFileSync(w.full('other'), 'utf8')).toBe('old');
    expect(spares()).toEqual([]);
  });

  it('do not take a file that got another name since', () => {
    spare('old');
    fs.linkSync(w.full(`.retrace/spare/${spares()[0]!}`), w.full('other'));
    put('new');
    expect(fs.readFileSync(w.full('other'), 'utf8')).toBe('old');
  });

  it('take links, folders and large files for nothing', () => {
    put('', linkTo('x'));
    spareStaged(w.root, 's');
    spare('x'.repeat(70_000));
    fs.mkdirSync(staged());
    expect(spareStaged(w.root, 's')).toBe(true);
    expect([listStaged(w.root), spares()]).toEqual([[], []]);
  });

  it('leave what takes long to remove to the caller', () => {
    fs.writeFileSync(staged(), Buffer.alloc(2_000_000));
    expect(spareStaged(w.root, 's')).toBe(false);
    expect(fs.existsSync(staged())).toBe(true);
  });

  it('hand over no extended attributes', () => {
    spare('old', () => expect(setxattr(staged(), 'user.note', 'x', 1, 0)).toBe(0));
    put('new');
    expect(withHandle(openStaged(w.root, 's'), (fd) => libc.flistxattr(fd, null, 0))).toBe(0);
  });

  it('leave nothing in staging, and no spare, where the content is not the announced one', () => {
    spare('old');
    expect(() => put('other', fileOf('new'))).toThrow(expect.objectContaining({ code: 'content_mismatch' }));
    expect([listStaged(w.root), spares()]).toEqual([[], []]);
  });

  it('are gone when the workspace is closed, and when it is opened after a crash', () => {
    spare('old');
    w.root.close();
    expect(spares()).toEqual([]);
    fs.writeFileSync(w.full('.retrace/spare/7'), 'left');
    openWorkspaceRoot(w.folder).close();
    expect(spares()).toEqual([]);
  });

  it('are bounded', () => {
    for (let i = 0; i < 1030; i++) {
      fs.writeFileSync(staged(), 'x');
      spareStaged(w.root, 's');
    }
    expect(spares()).toHaveLength(1024);
    expect(listStaged(w.root)).toEqual([]);
  });
});
