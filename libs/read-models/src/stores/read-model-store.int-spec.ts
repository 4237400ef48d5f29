import 'reflect-metadata';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { canonicalHash } from '../canonical-hash.js';
import type { ReadModels } from '../read-models.js';
import { dump } from '../testing/dump.js';
import { EVERY_EVENT } from '../testing/every-event.js';
import { postgresIsSkipped } from '../testing/find-postgres.js';
import { PostgresServer } from '../testing/postgres-server.js';
import { replayInto } from '../writing/replay.js';
import { PostgresStore } from './postgres-store.js';
import type { ReadModelStore } from './read-model-store.js';
import { SqliteStore } from './sqlite-store.js';

/** Folds that many events, so that one can tell what lies where. */
async function fold(models: ReadModels, count: number): Promise<string> {
  const events = EVERY_EVENT.slice(0, count);
  const log = {
    async *read() {
      yield* await Promise.resolve(events);
    },
  };
  await replayInto(models, log);
  return canonicalHash(models);
}

describe('the store of read models in a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retrace-store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  promises(() => Promise.resolve(new SqliteStore(folder)));

  it('keeps no file but those of the current one', async () => {
    const store = new SqliteStore(folder);
    const [first, next] = [await store.openCurrent(), await store.openNext()];
    await store.makeCurrent(next.number);
    await Promise.all([first.models.close(), next.models.close()]);
    const { models } = await new SqliteStore(folder).openCurrent();
    await models.close();
    const others = (await readdir(folder)).filter((name) => !name.startsWith('read-models-2.sqlite'));
    expect(others).toEqual(['read-models.current']);
  });
});

(postgresIsSkipped() ? describe.skip : describe)('the store of read models in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  beforeEach(async () => {
    url = await server.database();
  });

  promises(() => PostgresStore.open({ url, schema: 'retrace' }));

  it('leaves alone what lies in other schemas, and lets another installation share the database', async () => {
    const [one, two] = [
      await PostgresStore.open({ url, schema: 'one' }),
      await PostgresStore.open({ url, schema: 'one_1' }),
    ];
    const [a, b] = [await one.openCurrent(), await two.openCurrent()];
    const [first, second] = [await fold(a.models, 5), await fold(b.models, 7)];
    await Promise.all([a.models.close(), b.models.close()]);
    const [again, other] = [await one.openCurrent(), await two.openCurrent()];
    expect([await canonicalHash(again.models), await canonicalHash(other.models)]).toEqual([first, second]);
    await Promise.all([again.models.close(), other.models.close()]);
    await Promise.all([one.close(), two.close()]);
  }, 30_000);

  it('refuses a schema whose name it would have to quote, or that may hold the tables of another', async () => {
    for (const schema of ['a"b', 'Retrace', 'retrace_models_1'])
      await expect(PostgresStore.open({ url, schema })).rejects.toMatchObject({ code: 'bad_request' });
  });

  afterAll(() => server.stop());
});

/** What every store promises, a crash after each step of a rebuild included. */
function promises(open: () => Promise<ReadModelStore>): void {
  it('opens what it had', async () => {
    const store = await open();
    const first = await store.openCurrent();
    const hash = await fold(first.models, 8);
    await first.models.close();
    await store.close();
    await expectCurrent(hash);
  }, 30_000);

  it('has what it had after a crash while the next one was built, and begins that anew', async () => {
    const store = await open();
    const first = await store.openCurrent();
    const hash = await fold(first.models, 8);
    const half = await store.openNext();
    await fold(half.models, 3);
    await Promise.all([first.models.close(), half.models.close()]);
    await store.close();
    await expectCurrent(hash);
    const later = await open();
    const [current, next] = [await later.openCurrent(), await later.openNext()];
    expect(Object.values(await dump(next.models)).flat()).toEqual([]);
    await Promise.all([current.models.close(), next.models.close()]);
    await later.close();
  }, 30_000);

  it('has the next one after a crash once that was made the current one', async () => {
    const store = await open();
    const [first, next] = [await store.openCurrent(), await store.openNext()];
    await fold(first.models, 8);
    const hash = await fold(next.models, 12);
    await store.makeCurrent(next.number);
    await Promise.all([first.models.close(), next.models.close()]);
    await store.close();
    await expectCurrent(hash);
  }, 30_000);

  it('never drops the current one, whoever thinks that it did not become it', async () => {
    const store = await open();
    const [first, next] = [await store.openCurrent(), await store.openNext()];
    const hash = await fold(next.models, 12);
    await store.makeCurrent(next.number);
    await Promise.all([first.models.close(), next.models.close()]);
    await expect(store.drop(next.number)).rejects.toThrow('the current ones');
    await store.close();
    await expectCurrent(hash);
  }, 30_000);

  it('goes from one to the next again and again', async () => {
    const store = await open();
    let current = await store.openCurrent();
    for (let turn = 1; turn <= 3; turn++) {
      const next = await store.openNext();
      await fold(next.models, turn);
      await store.makeCurrent(next.number);
      await current.models.close();
      await store.drop(current.number);
      current = next;
    }
    const hash = await canonicalHash(current.models);
    await current.models.close();
    await store.close();
    await expectCurrent(hash);
  }, 30_000);

  async function expectCurrent(hash: string): Promise<void> {
    const store = await open();
    const { models } = await store.openCurrent();
    expect(await canonicalHash(models)).toBe(hash);
    await models.close();
    await store.close();
  }
}
