import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { listDirectory } from './list-directory.js';
import { temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

describe('listDirectory', () => {
  it('lists kinds in byte order and leaves the control folder out at the root only', () => {
    w.put('b', '');
    w.put('a/.retrace/x', '');
    fs.symlinkSync('..', w.full('Z'));
    execFileSync('mkfifo', [w.full('c')]);
    expect(listDirectory(w.root.rootFd, '')).toEqual([
      { name: 'Z', kind: 'link' },
      { name: 'a', kind: 'directory' },
      { name: 'b', kind: 'file' },
      { name: 'c', kind: 'other' },
    ]);
    expect(listDirectory(w.root.rootFd, 'a')).toEqual([{ name: '.retrace', kind: 'directory' }]);
  });

  it('gives names that are not UTF-8 as bytes', () => {
    const name = Buffer.from([0x66, 0xff]);
    fs.writeFileSync(Buffer.concat([Buffer.from(`${w.folder}/`), name]), '');
    expect(listDirectory(w.root.rootFd, '')).toEqual([{ name, kind: 'file' }]);
  });

  it('refuses links and files', () => {
    w.put('f', '');
    fs.symlinkSync('.', w.full('l'));
    expect(() => listDirectory(w.root.rootFd, 'l')).toThrow(expect.objectContaining({ code: 'link_refused' }));
    expect(() => listDirectory(w.root.rootFd, 'f')).toThrow(expect.objectContaining({ code: 'not_a_folder' }));
    expect(() => listDirectory(w.root.rootFd, 'no')).toThrow(expect.objectContaining({ code: 'absent' }));
  });
});
