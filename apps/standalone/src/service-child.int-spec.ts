import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceChild } from './service-child.js';

const READY = "process.send('ready'); process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);";

describe('a service as a process of its own', () => {
  let folder: string;
  let child: ServiceChild;
  let told: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-child-'));
    told = [];
  });
  afterEach(async () => {
    await child.stop();
    rmSync(folder, { recursive: true });
  });

  const start = (script: string): Promise<void> => {
    const entry = join(folder, 'main.mjs');
    writeFileSync(entry, script);
    const logFile = join(folder, 'log');
    const environment = { ...process.env, NODE_OPTIONS: '' };
    child = new ServiceChild({ name: 'x', entry, environment, logFile, onRestart: (why) => told.push(why) });
    return child.start();
  };

  it('is started again when it dies without being asked to', async () => {
    await start(READY);
    const first = child.pid!;
    process.kill(first, 'SIGKILL');
    while (child.pid === first) await sleep(20);
    expect(told).toEqual([expect.stringContaining('SIGKILL')]);
  });

  it('stays down when it was asked to stop', async () => {
    await start(READY);
    await child.stop();
    expect(told).toEqual([]);
  });

  it('says where its log is when it ends while starting', async () => {
    await expect(start("console.error('no database'); process.exit(3);")).rejects.toThrow(join(folder, 'log'));
    expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('no database');
  });
});
