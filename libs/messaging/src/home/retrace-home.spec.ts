import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import * as client from '../client.js';
import {
  LOCAL_OPERATOR,
  readRuntime,
  removeRuntime,
  type RetraceHome,
  retraceHome,
  type Runtime,
  RuntimeSchema,
  writeRuntime,
} from './retrace-home.js';

describe('retraceHome', () => {
  it('is what clients know of the home too', () => {
    expect(client).toMatchObject({ retraceHome, readRuntime, RuntimeSchema, LOCAL_OPERATOR });
  });

  it.each([
    [{ HOME: '/h' }, undefined, '/h/.local/share/retrace'],
    [{ HOME: '/h', XDG_DATA_HOME: '/x' }, undefined, '/x/retrace'],
    [{ HOME: '/h', XDG_DATA_HOME: '/x', RETRACE_HOME: '/r' }, undefined, '/r'],
    [{ HOME: '/h', RETRACE_HOME: '/r' }, '/given', '/given'],
    [{ HOME: '/h', RETRACE_HOME: '', XDG_DATA_HOME: '' }, undefined, '/h/.local/share/retrace'],
  ])('with %j and %j is %s', (environment, folder, expected) => {
    expect(retraceHome(environment, folder).folder).toBe(expected);
  });
});

describe('the runtime file', () => {
  let home: RetraceHome;
  beforeEach(() => {
    home = retraceHome({}, mkdtempSync(join(tmpdir(), 'retrace-home-')));
  });
  afterEach(() => rmSync(home.folder, { recursive: true }));

  const runtime: Runtime = {
    url: 'nats://127.0.0.1:4222',
    pid: 7,
    nats_pid: null,
    mode: 'standalone',
    started_at: '2026-01-01T00:00:00.000Z',
    version: '0.1.0',
  };

  it('is read as it was written, for its owner alone, with nothing left beside it', async () => {
    await writeRuntime(home, runtime);
    await writeRuntime(home, { ...runtime, nats_pid: 8 });
    expect(await readRuntime(home)).toEqual({ ...runtime, nats_pid: 8 });
    expect(statSync(home.runtimeFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(home.folder)).toEqual(['runtime.json']);
  });

  it('is not there before a start, nor after a stop, which may be repeated', async () => {
    expect(await readRuntime(home)).toBeUndefined();
    await writeRuntime(home, runtime);
    await removeRuntime(home);
    await removeRuntime(home);
    expect(await readRuntime(home)).toBeUndefined();
  });

  it.each(['', '{', '{"pid":0}', JSON.stringify({ ...runtime, pid: 0 }), JSON.stringify({ ...runtime, mode: 'x' })])(
    'is refused when it is damaged: %s',
    async (text) => {
      writeFileSync(home.runtimeFile, text);
      await expect(readRuntime(home)).rejects.toThrow(/JSON|invalid|expected/i);
    },
  );
});
