import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FolderLocked, lockFolder } from './folder-lock.js';

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('keeps a second holder out and names the first', () => {
    const lock = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(FolderLocked);
    expect(() => lockFolder(folder)).toThrow(String(process.pid));
    lock.release();
  });

  it('keeps other processes out', () => {
    const lock = lockFolder(folder);
    const taken = spawnSync('flock', ['-n', join(folder, 'lock'), 'true']);
    lock.release();
    expect(taken.status).toBe(1);
    expect(spawnSync('flock', ['-n', join(folder, 'lock'), 'true']).status).toBe(0);
  });

  it('can be taken again after it was given back', () => {
    lockFolder(folder).release();
    expect(() => lockFolder(folder).release()).not.toThrow();
  });
});
