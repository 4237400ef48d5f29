import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import { openAt, resolveBeneath, withHandle } from './handles.js';
import { O } from './libc.js';
import { statAt } from './stat.js';
import { temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

const resolve = (path: string, options = {}): string => {
  const { dirfd, name } = resolveBeneath(w.root.rootFd, path, options);
  fs.closeSync(dirfd);
  return name;
};

describe('resolveBeneath', () => {
  it.each(['../x', 'a/../x', '/etc/passwd', '..', 'a/..'])('refuses %j as outside the root', (path) => {
    expect(() => resolve(path)).toThrow(expect.objectContaining({ code: 'outside_root' }));
  });

  it.each(['', '.', 'a//b', 'a/', './a', 'a\0b', 'a/b\0', '\ud800'])('refuses %j as no name', (path) => {
    expect(() => resolve(path)).toThrow(expect.objectContaining({ code: 'invalid_name' }));
  });

  it('refuses a parent that is a link, also one that stays inside', () => {
    fs.mkdirSync(w.full('real'));
    fs.symlinkSync('real', w.full('link'));
    expect(() => resolve('link/x')).toThrow(expect.objectContaining({ code: 'link_refused', subject: 'link' }));
    expect(resolve('link/x', { symlinks: true })).toBe('x');
  });

  it.each(['../outside', '/', '/proc/self/cwd'])('refuses a link to %j even where links are allowed', (target) => {
    fs.symlinkSync(target, w.full('out'));
    expect(() => resolve('out/x', { symlinks: true })).toThrow(expect.objectContaining({ code: 'outside_root' }));
  });

  it('tells a missing parent from one that is no folder', () => {
    w.put('file', 'x');
    expect(() => resolve('missing/x')).toThrow(expect.objectContaining({ code: 'absent' }));
    expect(() => resolve('file/x')).toThrow(expect.objectContaining({ code: 'not_a_folder' }));
  });
});

describe('openAt', () => {
  it('never follows a link', () => {
    fs.writeFileSync(`${w.outside}/secret`, 'secret');
    fs.symlinkSync('../outside/secret', w.full('link'));
    expect(() => openAt(w.root.rootFd, 'link', O.RDONLY)).toThrow(expect.objectContaining({ code: 'link_refused' }));
    expect(() => openAt(w.root.rootFd, 'link', O.WRONLY | O.CREAT | O.TRUNC)).toThrow(
      expect.objectContaining({ code: 'link_refused' }),
    );
    expect(fs.readFileSync(`${w.outside}/secret`, 'utf8')).toBe('secret');
  });

  it.each(['a/b', '..', '.', ''])('takes one name only, not %j', (name) => {
    expect(() => openAt(w.root.rootFd, name, O.PATH)).toThrow(expect.objectContaining({ code: 'invalid_name' }));
  });
});

describe('statAt', () => {
  it('agrees with node about device, inode, size and times', () => {
    w.put('f', 'hello', 0o640);
    const node = fs.lstatSync(w.full('f'), { bigint: true });
    const { dirfd, name } = resolveBeneath(w.root.rootFd, 'f');
    withHandle(dirfd, () =>
      expect(statAt(dirfd, name)).toMatchObject({
        dev: node.dev,
        ino: node.ino,
        size: 5n,
        mtimeNs: node.mtimeNs,
        ctimeNs: node.ctimeNs,
        nlink: 1,
        mode: Number(node.mode),
        isFile: true,
      }),
    );
  });
});
