import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_OPERATOR as ITS_OPERATOR, retraceHome, type Runtime, writeRuntime } from '@retrace/messaging';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { homeAt, LOCAL_OPERATOR } from './home.js';
import { runtimeOf } from './runtime-file.js';

describe('the home as the command line knows it', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retrace-home-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([[{ HOME: '/h' }], [{ HOME: '/h', XDG_DATA_HOME: '/x' }], [{ HOME: '/h', RETRACE_HOME: '/r' }]])(
    'is where the system keeps it: %j',
    (env) => {
      expect(homeAt(undefined, env, '/')).toMatchObject(retraceHome(env));
    },
  );

  it('is named from where one stands', () => {
    expect(homeAt('mine', { RETRACE_HOME: '/r' }, '/work').folder).toBe('/work/mine');
    expect(LOCAL_OPERATOR).toBe(ITS_OPERATOR);
  });

  it.each([
    ['standalone', 8],
    ['cluster', null],
  ] as const)('reads what a system that is %s wrote of itself', async (mode, nats_pid) => {
    const home = homeAt(folder, {}, '/');
    const runtime: Runtime = { url: 'nats://x:1', pid: 7, nats_pid, mode, started_at: 'then', version: '0' };
    await writeRuntime(home, runtime);
    expect(await runtimeOf(home)).toEqual(runtime);
  });

  it('tells of a file that is damaged, and of none', async () => {
    const home = homeAt(folder, {}, '/');
    await writeFile(home.runtimeFile, '{"url": 1}');
    await expect(runtimeOf(home)).rejects.toMatchObject({ code: 'runtime_invalid' });
    await rm(home.runtimeFile);
    expect(await runtimeOf(home)).toBeUndefined();
  });
});
