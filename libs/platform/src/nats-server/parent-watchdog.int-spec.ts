import { execFileSync, type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { findNatsServer } from './find-nats-server.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const SWC = { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } } as const;

/** A parent that can be killed must be a process of its own, and plain node does not read TypeScript. */
const compileTo = (folder: string): void => {
  for (const name of readdirSync(HERE).filter((file) => /^[^.]+\.ts$/.test(file))) {
    const { code } = transformSync(readFileSync(join(HERE, name), 'utf8'), SWC);
    writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), code);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
};

const PARENT = `
import { launchNatsServer } from './launch-nats-server.js';
const [binary, dataDir, then] = process.argv.slice(2);
const server = await launchNatsServer({ binary, dataDir, configFile: dataDir + '/nats.conf', logFile: dataDir + '/nats.log' });
process.stdout.write(server.pid + '\\n');
if (then === 'exit') process.exit(0);
`;

/** Not there, or a zombie that nobody has collected: either way no server runs. */
const hasEnded = (pid: number): boolean => {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .toString()
      .startsWith('Z');
  } catch {
    return true;
  }
};

const eventuallyEnded = async (pid: number): Promise<boolean> => {
  while (!hasEnded(pid)) await sleep(20);
  return true;
};

describe('endWithThisProcess', () => {
  let binary: string;
  let folder: string;
  let parent: ChildProcess | undefined;

  beforeAll(async () => {
    binary = (await findNatsServer()).path;
  }, 120_000);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-watchdog-'));
    compileTo(folder);
    writeFileSync(join(folder, 'parent.js'), PARENT);
    writeFileSync(join(folder, 'nats.conf'), '');
  });
  afterEach(() => {
    parent?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const startParent = async (then: 'wait' | 'exit'): Promise<number> => {
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
    const child = spawn(process.execPath, ['parent.js', binary, folder, then], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio,
    });
    parent = child;
    return new Promise((resolve) => child.stdout.once('data', (data) => resolve(Number(data))));
  };

  it('ends the server when its parent is killed', async () => {
    const pid = await startParent('wait');
    expect(hasEnded(pid)).toBe(false);
    parent?.kill('SIGKILL');
    expect(await eventuallyEnded(pid)).toBe(true);
  });

  it('ends the server when its parent exits without stopping it', async () => {
    expect(await eventuallyEnded(await startParent('exit'))).toBe(true);
  });

  it('ends a server that is stopped and cannot react', async () => {
    const pid = await startParent('wait');
    process.kill(pid, 'SIGSTOP');
    parent?.kill('SIGKILL');
    expect(await eventuallyEnded(pid)).toBe(true);
  }, 20_000);
});
