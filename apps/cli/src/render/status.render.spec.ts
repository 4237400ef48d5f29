import { describe, expect, it } from '@jest/globals';
import { renderStatus, type ServiceStatus, type SystemStatus } from './status.render.js';
import { screenOf } from './style.js';

const service = (problems: string[]): ServiceStatus => ({
  service: 'execution',
  state: 'ready',
  pid: 7,
  message: null,
  problems,
});
const status = (problems: string[]): SystemStatus => ({
  home: '/home',
  runtime: {
    url: 'nats://x:1',
    pid: 7,
    nats_pid: 8,
    mode: 'standalone',
    started_at: '2026-01-01T00:00:00Z',
    version: '0',
  },
  services: [service(problems)],
  projection: null,
  workspaces: null,
});
const screen = screenOf({ env: { COLUMNS: '40' }, stdoutIsTty: false, columns: undefined });

describe('the status of a system', () => {
  it('tells what does not work although its service runs, within the width', () => {
    const text = renderStatus(status(['workspace one (/a/b) is not available: the folder is gone']), screen);
    expect(text).toContain('! workspace one (/a/b)');
    expect(text.split('\n').every((line) => line.length <= 40)).toBe(true);
  });

  it('says nothing of problems where there are none', () => {
    expect(renderStatus(status([]), screen)).not.toContain('!');
  });
});
