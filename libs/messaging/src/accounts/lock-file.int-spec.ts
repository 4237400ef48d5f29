import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withLockFile } from './lock-file.js';

const DEAD = '2147483646'; // above every pid that Linux gives out
const idle = () => Promise.resolve();

describe('withLockFile', () => {
  let folder: string;
  let lock: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-lock-'));
    lock = join(folder, 'lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets one in at a time and leaves nothing behind', async () => {
    let inside = 0;
    const seen = await Promise.all(
      Array.from({ length: 10 }, () =>
        withLockFile(lock, async () => {
          inside += 1;
          await new Promise(setImmediate);
          return inside--;
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 10 }, () => 1));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is released when the work fails', async () => {
    await expect(withLockFile(lock, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await withLockFile(lock, () => Promise.resolve('free'))).toBe('free');
  });

  it('lets one in at a time also when all of them find a dead owner', async () => {
    writeFileSync(lock, DEAD);
    let inside = 0;
    const work = async () => {
      inside += 1;
      await new Promise(setImmediate);
      return inside--;
    };
    const seen = await Promise.all(Array.from({ length: 10 }, () => withLockFile(lock, work)));
    expect(new Set(seen)).toEqual(new Set([1]));
  });

  it('gives up on a living owner with its pid and what to do, and leaves its lock', async () => {
    writeFileSync(lock, String(process.pid));
    await expect(withLockFile(lock, idle, 0)).rejects.toMatchObject({
      code: 'credentials_locked',
      message: expect.stringMatching(new RegExp(`${lock} is held by process ${process.pid}.*delete`)),
    });
    expect(readFileSync(lock, 'utf8')).toBe(String(process.pid));
  });

  it('does not touch a dead lock that somebody else is breaking', async () => {
    writeFileSync(lock, DEAD);
    mkdirSync(`${lock}.break`);
    await expect(withLockFile(lock, idle, 0)).rejects.toMatchObject({ code: 'credentials_locked' });
    expect(readFileSync(lock, 'utf8')).toBe(DEAD);
  });
});
