import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import { resolveCanonical } from './resolve-canonical.js';
import { temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
  w.put('a/b/file', 'x');
});
afterEach(() => w.dispose());

const canonical = (path: string): string => resolveCanonical(w.root.rootFd, path, w.root.path);
const link = (name: string, target: string): void => fs.symlinkSync(target, w.full(name));

describe('resolveCanonical', () => {
  it('keeps a path without links, also where its tail does not exist', () => {
    expect(['a/b/file', 'a/new', 'x/y/z'].map(canonical)).toEqual(['a/b/file', 'a/new', 'x/y/z']);
  });

  it('follows links on the way and at the end', () => {
    link('dir', 'a/b');
    link('a/b/alias', 'file');
    link('a/up', '../dir/alias');
    expect(['dir/file', 'dir/alias', 'a/up', 'dir/new'].map(canonical)).toEqual([
      'a/b/file',
      'a/b/file',
      'a/b/file',
      'a/b/new',
    ]);
  });

  it('answers the missing target of a dangling link', () => {
    link('dangling', 'a/not/there');
    expect(canonical('dangling')).toBe('a/not/there');
  });

  it('follows absolute links into the root', () => {
    link('abs', w.full('a'));
    link('home', w.folder);
    expect([canonical('abs/b/file'), canonical('home'), canonical('home/new')]).toEqual(['a/b/file', '', 'new']);
  });

  it.each(['/etc', '../outside', '..', '/', 'a/../../inside'])('refuses a link to %j', (target) => {
    link('out', target);
    expect(() => canonical('out/x')).toThrow(expect.objectContaining({ code: 'outside_root' }));
  });

  it('refuses an absolute link to a folder whose name only begins like the root', () => {
    link('out', `${w.folder}-other`);
    expect(() => canonical('out')).toThrow(expect.objectContaining({ code: 'outside_root' }));
    fs.unlinkSync(w.full('out'));
    link('out', `${w.folder}/../outside`);
    expect(() => canonical('out')).toThrow(expect.objectContaining({ code: 'outside_root' }));
  });

  it('gives up on a loop of links', () => {
    link('l1', 'l2');
    link('l2', 'l1');
    expect(() => canonical('l1')).toThrow(expect.objectContaining({ code: 'link_refused' }));
  });

  it('refuses a file on the way', () => {
    expect(() => canonical('a/b/file/x')).toThrow(expect.objectContaining({ code: 'not_a_folder' }));
  });

  it('does not take ".." behind a missing name by text', () => {
    link('odd', 'missing/../a');
    expect(() => canonical('odd')).toThrow(expect.objectContaining({ code: 'absent' }));
  });

  it('shows a link into the control folder for what it is', () => {
    link('sly', '.retrace/lock');
    expect(canonical('sly')).toBe('.retrace/lock');
  });
});
