import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fs from 'node:fs';
import { tryReadLease } from './lease.js';
import { lockFile } from './lock.js';
import { probe } from './probe.js';
import { temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
  w.put('f', 'x');
});
afterEach(() => w.dispose());

describe('probe', () => {
  it('tells what the file system can do, and leaves nothing behind', () => {
    const before = fs.readdirSync(w.full('.retrace'));
    expect(probe(w.root.controlFd)).toMatchObject({ openat2: true, exchange: true, noreplace: true });
    expect(fs.readdirSync(w.full('.retrace'))).toEqual(before);
  });
});

describe('lockFile', () => {
  it('is held by one handle until that is closed, whatever other handles of the file do', () => {
    const [a, b, c] = ['f', 'f', 'f'].map((name) => fs.openSync(w.full(name), 'r')) as [number, number, number];
    expect([lockFile(a), lockFile(b)]).toEqual([true, false]);
    fs.closeSync(c);
    expect(lockFile(b)).toBe(false);
    fs.closeSync(a);
    expect(lockFile(b)).toBe(true);
    fs.closeSync(b);
  });
});

describe('tryReadLease', () => {
  it('sees an open writer, and is let go at once', () => {
    const reader = fs.openSync(w.full('f'), 'r');
    const alone = tryReadLease(reader);
    const writer = fs.openSync(w.full('f'), 'a');
    // Where leases are not to be had, the answer stays the same.
    expect(tryReadLease(reader)).toBe(alone === 'no-writer' ? 'writer' : alone);
    fs.closeSync(writer);
    fs.closeSync(reader);
  });
});
