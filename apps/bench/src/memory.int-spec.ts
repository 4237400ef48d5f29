import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { anonymousMegabytes } from './memory.js';

const HOLDS_200_MB = `const held = Buffer.alloc(200e6, 1); console.log(held.length); process.stdin.resume();`;

describe('anonymousMegabytes', () => {
  it('counts what a process and its children hold', async () => {
    const command = `"${process.execPath}" -e '${HOLDS_200_MB}'; true`;
    const shell = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(shell.stdout, 'data');
    const held = anonymousMegabytes(shell.pid!);
    shell.stdin.end();
    await once(shell, 'close');
    expect(held).toBeGreaterThan(200);
    expect(held).toBeLessThan(400);
    expect(anonymousMegabytes(shell.pid!)).toBe(0);
  }, 30_000);
});
