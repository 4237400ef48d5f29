import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { isPipeOrFile } from './cli-io.js';

describe('isPipeOrFile', () => {
  const isGiven = (path: string): boolean => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return isPipeOrFile(descriptor);
    } finally {
      closeSync(descriptor);
    }
  };

  it('tells what somebody gave from what only stands there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'retrace-stdin-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect([pipe, fileURLToPath(import.meta.url)].map(isGiven)).toEqual([true, true]);
    expect([devNull, folder].map(isGiven)).toEqual([false, false]);
    expect(isPipeOrFile(1_000_000)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
