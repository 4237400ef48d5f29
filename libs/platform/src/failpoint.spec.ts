import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

describe('a failpoint', () => {
  let folder: string;
  let deaths: unknown[][];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-failpoint-'));
    for (const name of ['armed', 'hit']) mkdirSync(join(folder, name));
    deaths = [];
    jest.spyOn(process, 'kill').mockImplementation((...call) => {
      deaths.push(call);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    for (const name of ['RETRACE_FAILPOINT', 'RETRACE_FAILPOINT_ONCE', 'RETRACE_FAILPOINTS']) delete process.env[name];
    rmSync(folder, { recursive: true });
  });

  /** The environment is read when the process starts. */
  const started = async (environment: NodeJS.ProcessEnv): Promise<(name: string) => void> => {
    Object.assign(process.env, environment);
    jest.resetModules();
    return (await import('./failpoint.js')).failpoint;
  };
  const arm = (name: string, times = ''): void => writeFileSync(join(folder, 'armed', name), times);

  it('does nothing where nobody armed it, whatever lies about', async () => {
    arm('a');
    const failpoint = await started({});
    failpoint('a');
    expect(deaths).toEqual([]);
    expect(existsSync(join(folder, 'armed', 'a'))).toBe(true);
  });

  it('kills the time that the environment names, and once where that is asked for', async () => {
    const environment = { RETRACE_FAILPOINT: 'a:2', RETRACE_FAILPOINT_ONCE: join(folder, 'once') };
    let failpoint = await started(environment);
    for (const name of ['b', 'a', 'b']) failpoint(name);
    expect(deaths).toEqual([]);
    failpoint('a');
    expect(deaths).toEqual([[process.pid, 'SIGKILL']]);
    failpoint = await started(environment);
    for (const name of ['a', 'a', 'a']) failpoint(name);
    expect(deaths).toHaveLength(1);
  });

  it('kills once where it is armed in a folder while the process runs, and says who came by', async () => {
    const failpoint = await started({ RETRACE_FAILPOINTS: folder });
    failpoint('a');
    arm('a');
    failpoint('b');
    expect(deaths).toEqual([]);
    failpoint('a');
    failpoint('a');
    expect(deaths).toEqual([[process.pid, 'SIGKILL']]);
    expect(existsSync(join(folder, 'hit', 'a'))).toBe(true);
    const passed = readFileSync(join(folder, 'passed'), 'utf8').trim().split('\n');
    expect(passed).toEqual(['a', 'b', 'a', 'a'].map((name) => `${name} ${process.pid}`));
  });

  it('kills the process that is named alone, and the time that is asked for', async () => {
    const failpoint = await started({ RETRACE_FAILPOINTS: folder });
    arm(`a@${process.pid + 1}`);
    arm(`a@${process.pid}`, '2');
    failpoint('a');
    expect(deaths).toEqual([]);
    failpoint('a');
    expect(deaths).toHaveLength(1);
    expect(existsSync(join(folder, 'hit', `a@${process.pid}`))).toBe(true);
  });
});
