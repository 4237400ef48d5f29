import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

  const start = (script: string, logFolder = folder): Promise<void> => {
    const entry = join(folder, 'main.mjs');
    writeFileSync(entry, script);
    const logFile = join(logFolder, 'log');
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

  it('is tried again when it ends while it is started again', async () => {
    const count = join(folder, 'count');
    await start(`import { appendFileSync, readFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(count)}, '.');
      const tries = readFileSync(${JSON.stringify(count)}, 'utf8').length;
      if (tries === 2 || tries === 3) process.exit(9);
      ${READY}`);
    process.kill(child.pid!, 'SIGKILL');
    while (readFileSync(count, 'utf8').length < 4) await sleep(20);
    expect(told).toEqual([
      expect.stringContaining('SIGKILL'),
      expect.stringContaining('ended while starting (9)'),
      expect.stringContaining('ended while starting (9)'),
    ]);
  });

  it('that cannot be started again ends nobody, and is tried again', async () => {
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    await start(READY, logs);
    const first = child.pid!;
    renameSync(logs, `${logs}-away`);
    process.kill(first, 'SIGKILL');
    while (told.length < 2) await sleep(20);
    expect(told[1]).toContain('ENOENT');
    renameSync(`${logs}-away`, logs);
    while (child.pid === first) await sleep(20);
  });

  it('that cannot be spawned at all is told of as one that ended', async () => {
    const { execPath } = process;
    process.execPath = join(folder, 'no-node');
    try {
      await expect(start(READY)).rejects.toThrow('ENOENT');
    } finally {
      process.execPath = execPath;
    }
  });

  it('is not spawned any more when it is stopped before', async () => {
    const starting = start(READY).catch(String);
    await child.stop();
    expect(await starting).toContain('stopped while starting');
    expect(child.pid).toBeUndefined();
  });

  it('is ended when it is stopped while starting', async () => {
    const starting = start('setInterval(() => {}, 1000);').catch(String);
    while (child.pid === undefined) await sleep(5);
    await child.stop();
    expect(await starting).toContain('SIGTERM');
    expect(() => process.kill(child.pid!, 0)).toThrow('ESRCH');
    expect(told).toEqual([]);
  });

  it('says where its log is when it ends while starting', async () => {
    await expect(start("console.error('no database'); process.exit(3);")).rejects.toThrow(join(folder, 'log'));
    expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('no database');
  });
});
