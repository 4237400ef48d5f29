import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { captureState } from './capture.js';
import { StatCache } from './stat-cache.js';
import {
  fileOf,
  folderOf,
  linkTo,
  temporaryWorkspace,
  type TemporaryWorkspace,
} from './testing/temporary-workspace.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

const stateOf = (path: string) => captureState(w.root.rootFd, path).state;

describe('captureState', () => {
  it('captures content hash, size and all mode bits of a file', () => {
    const big = 'x'.repeat(700_000);
    w.put('f', big, 0o4751);
    expect(stateOf('f')).toEqual(fileOf(big, 0o4751));
  });

  it('gives the content of small enough files only', () => {
    w.put('f', 'hello');
    expect(captureState(w.root.rootFd, 'f', { readContentUpTo: 5 }).content?.toString()).toBe('hello');
    expect(captureState(w.root.rootFd, 'f', { readContentUpTo: 4 }).content).toBeUndefined();
    expect(captureState(w.root.rootFd, 'f').content).toBeUndefined();
  });

  it('gives the empty content of an empty file', () => {
    w.put('f', '');
    expect(captureState(w.root.rootFd, 'f', { readContentUpTo: 0 }).content?.length).toBe(0);
  });

  it('captures folders and links as themselves', () => {
    fs.mkdirSync(w.full('d'));
    fs.chmodSync(w.full('d'), 0o1777);
    fs.symlinkSync('/nowhere/at all', w.full('l'));
    expect(stateOf('d')).toEqual(folderOf(0o1777));
    expect(stateOf('l')).toEqual(linkTo('/nowhere/at all'));
  });

  it('names FIFOs and sockets without opening them', () => {
    execFileSync('mkfifo', [w.full('pipe')]);
    expect(captureState(w.root.rootFd, 'pipe', { readContentUpTo: 100 }).state).toEqual({
      kind: 'other',
      type: 'fifo',
    });
  });

  it('is absent where the name or a folder on the way is missing', () => {
    expect(stateOf('missing')).toEqual({ kind: 'absent' });
    expect(stateOf('missing/also')).toEqual({ kind: 'absent' });
  });

  it('refuses a file or a link on the way', () => {
    w.put('f', 'x');
    fs.symlinkSync('.', w.full('l'));
    expect(() => stateOf('f/x')).toThrow(expect.objectContaining({ code: 'not_a_folder' }));
    expect(() => stateOf('l/x')).toThrow(expect.objectContaining({ code: 'link_refused' }));
  });

  it('refuses a link target that is not UTF-8', () => {
    fs.symlinkSync(Buffer.from([0x66, 0xff]), w.full('l'));
    expect(() => stateOf('l')).toThrow(expect.objectContaining({ code: 'invalid_name' }));
  });

  it.each([['$HOME'], ['[a](b){c}*?'], ['line\nbreak'], [' '], ['-rf'], ['é'.repeat(127) + 'x'], ['emoji 🙂']])(
    'captures a file named %j',
    (name) => {
      w.put(name, name);
      expect(stateOf(name)).toEqual(fileOf(name));
    },
  );

  it('says that a name of 256 bytes is too long', () => {
    expect(() => stateOf('n'.repeat(256))).toThrow(expect.objectContaining({ code: 'name_too_long' }));
  });

  it('takes a settled file from the cache and hashes a fresh one again', () => {
    const cache = new StatCache();
    w.put('old', 'old');
    w.put('new', 'new');
    fs.utimesSync(w.full('old'), 1000, 1000);
    for (const name of ['old', 'new']) captureState(w.root.rootFd, name, { cache });
    expect(cache.size).toBe(1);
    const { stat } = captureState(w.root.rootFd, 'old', { cache });
    expect(stat && cache.lookup(stat)).toBe(fileOf('old').hash);
  });
});
