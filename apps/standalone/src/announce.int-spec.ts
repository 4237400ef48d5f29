import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readRuntime, retraceHome, type RetraceHome } from '@retrace/messaging';
import { Announcement } from './announce.js';

describe('the announcement of a system', () => {
  let home: RetraceHome;
  beforeEach(() => {
    home = retraceHome({}, mkdtempSync(`${tmpdir()}/retrace-announce-`));
  });
  afterEach(() => rmSync(home.folder, { recursive: true }));

  it('says where the bus is and who runs the system, until it is withdrawn', async () => {
    const announcement = new Announcement(home, 'cluster');
    await announcement.publish('nats://here:1', 7);
    expect(await readRuntime(home)).toMatchObject({
      url: 'nats://here:1',
      pid: process.pid,
      nats_pid: 7,
      mode: 'cluster',
    });
    await announcement.withdraw();
    expect(existsSync(home.runtimeFile)).toBe(false);
  });

  it('says nothing about a bus that was started again before the system was up', async () => {
    new Announcement(home, 'standalone').correct(9);
    expect(await readRuntime(home)).toBeUndefined();
  });
});
