import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cachedNatsServerPath, findFetchScript, retraceCacheFolder } from './fetch-nats-server.js';
import { findNatsServer } from './find-nats-server.js';

/** A program that answers `--version` as nats-server does. */
const fakeServer = (path: string, version: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "nats-server: v${version}"\n`, { mode: 0o755 });
  return path;
};

const noNetwork = () => Promise.resolve({ failure: 'no network' });

describe('findNatsServer', () => {
  let home: string;
  let env: NodeJS.ProcessEnv;

  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'retrace-find-')));
    env = { HOME: home, PATH: [join(home, 'a'), join(home, 'b')].join(delimiter) };
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const find = () => findNatsServer({ env, fetch: noNetwork });

  it('takes the one named by NATS_SERVER_BIN before any other', async () => {
    fakeServer(join(home, 'a/nats-server'), '2.15.1');
    const named = fakeServer(join(home, 'named'), '2.12.0');
    env = { ...env, NATS_SERVER_BIN: named };
    expect(await find()).toEqual({ path: named, version: [2, 12, 0], source: 'env' });
  });

  it('refuses a named one that is not there, even when another could be used', async () => {
    fakeServer(join(home, 'a/nats-server'), '2.15.1');
    env = { ...env, NATS_SERVER_BIN: join(home, 'nowhere') };
    await expect(find()).rejects.toMatchObject({
      code: 'nats_server_missing',
      message: expect.stringContaining('nowhere'),
    });
  });

  it('refuses a named one that is too old', async () => {
    env = { ...env, NATS_SERVER_BIN: fakeServer(join(home, 'named'), '2.9.10') };
    await expect(find()).rejects.toMatchObject({ code: 'nats_server_too_old' });
  });

  it('passes over an old one on PATH for a newer one behind it', async () => {
    fakeServer(join(home, 'a/nats-server'), '2.9.10');
    const newer = fakeServer(join(home, 'b/nats-server'), '2.12.4');
    expect(await find()).toMatchObject({ path: newer, source: 'path' });
  });

  it('takes the cached one when PATH has none that is new enough', async () => {
    fakeServer(join(home, 'a/nats-server'), '2.9.10');
    const cached = fakeServer(cachedNatsServerPath(env), '2.15.1');
    expect(await find()).toMatchObject({ path: cached, source: 'cache' });
  });

  it('fetches one as the last resort', async () => {
    const path = fakeServer(join(home, 'fetched'), '2.15.1');
    const found = await findNatsServer({ env, fetch: () => Promise.resolve({ path }) });
    expect(found).toMatchObject({ path, source: 'fetched' });
  });

  it('names path and version of the one that is too old', async () => {
    const old = fakeServer(join(home, 'a/nats-server'), '2.9.10');
    await expect(find()).rejects.toMatchObject({
      code: 'nats_server_too_old',
      message: expect.stringMatching(new RegExp(`${old} is version 2\\.9\\.10.*no network`)),
    });
  });

  it('names three ways out when there is none at all', async () => {
    const ways = /no network[^]*1\. .*package manager[^]*2\. .*NATS_SERVER_BIN[^]*3\. .*NATS_URL/;
    await expect(find()).rejects.toMatchObject({ code: 'nats_server_missing', message: expect.stringMatching(ways) });
  });
});

describe('retraceCacheFolder', () => {
  it('follows XDG_CACHE_HOME and ignores a relative one', () => {
    expect(retraceCacheFolder({ HOME: '/h', XDG_CACHE_HOME: '/c' })).toBe('/c/retrace');
    expect(retraceCacheFolder({ HOME: '/h', XDG_CACHE_HOME: 'c' })).toBe('/h/.cache/retrace');
    expect(retraceCacheFolder({ HOME: '/h' })).toBe('/h/.cache/retrace');
  });
});

describe('findFetchScript', () => {
  it('finds the script from this file, and gives up at the root', async () => {
    expect(await findFetchScript()).toMatch(/tools\/fetch-deb\.sh$/);
    expect(await findFetchScript('/nowhere/at/all.js')).toBeNull();
  });
});
