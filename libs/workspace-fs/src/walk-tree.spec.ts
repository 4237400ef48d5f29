import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { array, assert, constantFrom, property, uniqueArray } from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';
import { walkTree } from './walk-tree.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

const walked = (folder: string, after?: string): string[] =>
  [...walkTree(w.root.rootFd, folder, after)].map((one) => one.path);

describe('a walk', () => {
  it('goes in the order of bytes, folders before what lies in them, without the control folder', () => {
    for (const name of ['a/b', 'a.txt', 'a-b', 'a/é', 'a/z', 'a0', 'b/.retrace/x', '\u{1f600}', '\uffee'])
      w.put(name, '');
    const right = [
      'a',
      'a-b',
      'a.txt',
      'a/b',
      'a/z',
      'a/é',
      'a0',
      'b',
      'b/.retrace',
      'b/.retrace/x',
      '\uffee',
      '\u{1f600}',
    ];
    expect(walked('')).toEqual(right);
    expect(walked('b')).toEqual(['b/.retrace', 'b/.retrace/x']);
  });

  it('does not go through links, and tells a name that is not UTF-8', () => {
    fs.symlinkSync(w.outside, w.full('l'));
    fs.writeFileSync(path.join(w.outside, 'x'), '');
    fs.writeFileSync(Buffer.concat([Buffer.from(`${w.folder}/n`), Buffer.from([0xff])]), '');
    expect(walked('')).toEqual(['l', 'n\ufffd']);
  });

  it('ends where a folder is gone', () => {
    expect(walked('none')).toEqual([]);
  });
});

it('goes on exactly behind any path, also one that is not there', () => {
  const names = constantFrom('a', 'a.b', 'a-b', 'b', '-');
  const paths = array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  assert(
    property(uniqueArray(paths, { maxLength: 12 }), paths, (all, after) => {
      const x = temporaryWorkspace();
      try {
        for (const one of all) fs.mkdirSync(x.full(one), { recursive: true });
        const whole = [...walkTree(x.root.rootFd, '')].map((one) => one.path);
        const sorted = whole.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(whole).toEqual(sorted);
        const rest = [...walkTree(x.root.rootFd, '', after)].map((one) => one.path);
        expect(rest).toEqual(whole.filter((one) => Buffer.compare(Buffer.from(one), Buffer.from(after)) > 0));
      } finally {
        x.dispose();
      }
    }),
    { numRuns: 100 },
  );
});
