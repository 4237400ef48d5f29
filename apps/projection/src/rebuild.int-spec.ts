import 'reflect-metadata';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  encodeEvent,
  QueryHistory,
  QueryLog,
  QueryRebuild,
  QueryWorkspaces,
  type StoredEvent,
} from '@retrace/contracts';
import { JetStreamEventLog } from '@retrace/event-log';
import { LOCAL_OPERATOR } from '@retrace/messaging';
import { canonicalHash, PostgresStore, type ReadModelStore, replayInto, SqliteStore } from '@retrace/read-models';
import {
  ann,
  bob,
  EVERY_EVENT,
  given,
  id,
  postgresIsSkipped,
  PostgresServer,
  TemporaryModels,
  ws,
} from '@retrace/read-models/testing';
import { jetstream } from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';
import { ProjectionBed } from './testing/projection-bed.js';

const BATCH = 200;
/** More than one message holds. */
const large = given.applied(
  600,
  Array.from({ length: 1000 }, (_, n) => ({ n: n + 3000, path: `large/${n}`, to: given.file(n) })),
  { sequence: 99, event: 99 },
);
const applied = (n: number): StoredEvent =>
  given.applied(n, [{ n, path: `many/${n}`, to: given.file(n) }], { sequence: n, event: n });

describe('projection on SQLite', () => {
  specs(
    () => Promise.resolve({}),
    (bed) => Promise.resolve(new SqliteStore(bed.store)),
  );

  it('drops what was half built when it was killed, and answers from what it had', async () => {
    const bed = await ProjectionBed.open(ann, bob);
    await bed.write(...EVERY_EVENT);
    await bed.start();
    const before = (await bed.caughtUp()).sequence;
    await bed.stop();
    await writeFile(join(bed.store, 'read-models-2.sqlite'), 'half');
    await writeFile(join(bed.store, 'read-models-2.sqlite-wal'), 'built');
    await bed.start();
    expect((await bed.caughtUp()).sequence).toBe(before);
    expect((await readdir(bed.store)).filter((name) => name.includes('-2'))).toEqual([]);
    await bed.close();
  }, 60_000);
});

(postgresIsSkipped() ? describe.skip : describe)('projection on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  let url: string;

  specs(
    async () => {
      url = await server.database();
      return { RETRACE_DATABASE_URL: url };
    },
    () => PostgresStore.open({ url, schema: 'retrace' }),
  );

  it('drops what was half built, keeps a second service out, and outlives lost connections', async () => {
    url = await server.database();
    const bed = await ProjectionBed.open(ann, bob);
    bed.environment = { RETRACE_DATABASE_URL: url };
    await bed.start();
    await bed.write(...EVERY_EVENT);
    await bed.caughtUp();
    await expect(PostgresStore.open({ url, schema: 'retrace' })).rejects.toMatchObject({ code: 'unavailable' });
    await server.disconnectAll();
    const last = await bed.write(applied(900));
    const { entries } = await bed.ask(LOCAL_OPERATOR, QueryLog, ws, { min_sequence: last });
    expect(entries.at(-1)).toMatchObject({ sequence: last });
    await bed.ask(LOCAL_OPERATOR, QueryRebuild, '_', {});
    while ((await bed.caughtUp()).rebuild?.status === 'running') await sleep(20);
    expect((await bed.caughtUp()).rebuild).toMatchObject({ status: 'done', message: null });
    await bed.stop();
    const store = await PostgresStore.open({ url, schema: 'retrace' });
    const half = await store.openNext();
    await half.models.close();
    await (await store.openCurrent()).models.close();
    expect((await store.openNext()).number).toBe(half.number);
    await store.close();
    await bed.close();
  }, 60_000);

  it('says which variable names a database that is not there', async () => {
    const open = PostgresStore.open({ url: 'postgres://nobody@127.0.0.1:1/none', schema: 'retrace' });
    await expect(open).rejects.toThrow('RETRACE_DATABASE_URL');
  });

  afterAll(() => server.stop());
});

function specs(
  environment: () => Promise<NodeJS.ProcessEnv>,
  storeOf: (bed: ProjectionBed) => Promise<ReadModelStore>,
): void {
  let bed: ProjectionBed;

  beforeEach(async () => {
    bed = await ProjectionBed.open(ann, bob);
    bed.environment = await environment();
  }, 120_000);
  afterEach(() => bed.close(), 60_000);

  const log = (more: object = {}) => bed.ask(LOCAL_OPERATOR, QueryLog, ws, more);
  const rebuilt = async () => {
    for (;;) {
      const { rebuild, ...status } = await bed.caughtUp();
      if (rebuild?.status !== 'running') return { rebuild, ...status };
      await sleep(20);
    }
  };

  /** The service MUST have ended. */
  const hashOfStore = async (): Promise<string> => {
    const store = await storeOf(bed);
    const { models } = await store.openCurrent();
    const hash = await canonicalHash(models);
    await models.close();
    await store.close();
    return hash;
  };

  it('rebuilds to the same rows that it folded live, and that a raw reader folds', async () => {
    await bed.start();
    await bed.write(...EVERY_EVENT, large);
    await bed.caughtUp();
    await bed.stop();
    const live = await hashOfStore();
    await bed.start();
    expect(await bed.ask(LOCAL_OPERATOR, QueryRebuild, '_', {})).toEqual({ started: true });
    expect(await rebuilt()).toMatchObject({ rebuild: { status: 'done', message: null }, lag: 0 });
    const answers = await log();
    await bed.stop();
    expect(await hashOfStore()).toBe(live);
    const raw = await TemporaryModels.open();
    await replayInto(raw.models, await JetStreamEventLog.open(await bed.connection('policy')));
    expect(await canonicalHash(raw.models)).toBe(live);
    await raw.remove();
    await bed.start();
    await bed.caughtUp();
    expect(await log()).toEqual(answers);
  }, 60_000);

  it('goes over while events come and questions are asked: nothing is lost, doubled or seen to go back', async () => {
    await bed.start();
    await bed.write(...Array.from({ length: BATCH }, (_, n) => applied(n + 1)));
    await bed.caughtUp();
    const { started } = await bed.ask(LOCAL_OPERATOR, QueryRebuild, '_', {});
    expect(started).toBe(true);
    let [seen, last] = [0, 0];
    for (let n = BATCH + 1; n <= 2 * BATCH; n++) {
      last = await bed.write(applied(n));
      const { entries, cursor } = await log({ limit: 1, min_sequence: n % 10 === 0 ? last : 0 });
      expect(entries[0]!.sequence).toBeGreaterThanOrEqual(seen);
      expect(cursor).toBeGreaterThanOrEqual(entries[0]!.sequence);
      seen = entries[0]!.sequence;
    }
    expect(await rebuilt()).toMatchObject({ rebuild: { status: 'done' }, sequence: last });
    const { entries } = await log({ limit: 1000 });
    expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 2 * BATCH }, (_, n) => n + 1));
  }, 120_000);

  it('rebuilds for operators alone, one at a time, and again', async () => {
    await bed.start();
    await bed.write(...EVERY_EVENT);
    expect((await bed.caughtUp()).rebuild).toBeNull();
    await expect(bed.ask(ann, QueryRebuild, '_', {})).rejects.toMatchObject({ code: 'forbidden' });
    const both = await Promise.all([1, 2].map(() => bed.ask(LOCAL_OPERATOR, QueryRebuild, '_', {})));
    expect(both.filter(({ started }) => started)).toHaveLength(1);
    expect(await rebuilt()).toMatchObject({ rebuild: { status: 'done' } });
    expect(await bed.ask(LOCAL_OPERATOR, QueryRebuild, '_', {})).toEqual({ started: true });
    expect(await rebuilt()).toMatchObject({ rebuild: { status: 'done' } });
    expect((await log()).entries).toHaveLength(7);
  }, 60_000);

  it('ends in the midst of a rebuild, and goes on with what it had', async () => {
    await bed.write(...Array.from({ length: BATCH }, (_, n) => applied(n + 1)));
    await bed.start();
    await bed.caughtUp();
    await bed.ask(LOCAL_OPERATOR, QueryRebuild, '_', {});
    await bed.stop();
    await bed.start();
    expect(await bed.caughtUp()).toMatchObject({ sequence: BATCH, rebuild: null });
    expect((await log({ limit: 1000 })).entries).toHaveLength(BATCH);
  }, 60_000);

  it('follows the log, and lets those who follow go when it ends', async () => {
    await bed.write(...EVERY_EVENT);
    await bed.start();
    await bed.caughtUp();
    const { cursor } = await log({ limit: 1 });
    const next = log({ after_sequence: cursor, wait_ms: 20_000 });
    await sleep(50);
    const last = await bed.write(applied(800));
    expect(await next).toMatchObject({ entries: [{ sequence: last }], cursor: last, more: false });
    const waiting = log({ after_sequence: last, wait_ms: 20_000 });
    await sleep(50);
    await bed.stop();
    expect(await waiting).toMatchObject({ entries: [], cursor: last });
  }, 60_000);

  it('folds an event of ten thousand operations that lies in the log in pages, and answers meanwhile', async () => {
    await bed.start();
    await bed.write(...EVERY_EVENT);
    await bed.caughtUp();
    const operations = Array.from({ length: 10_000 }, (_, n) => ({ n: n + 5000, path: `big/${n}`, to: given.file(n) }));
    const last = await bed.write(given.applied(700, operations, { sequence: 100, event: 100 }));
    const folded = bed.ask(LOCAL_OPERATOR, QueryLog, ws, { limit: 1, min_sequence: last });
    expect((await log()).entries.length).toBeGreaterThan(0);
    expect((await folded).entries).toMatchObject([{ sequence: last, operation_count: 10_000 }]);
    expect(last).toBeGreaterThan(EVERY_EVENT.length + 1);
    expect(await bed.caughtUp()).toMatchObject({ lag: 0, sequence: last });
  }, 60_000);

  it('passes by events of kinds that it does not know, and counts them', async () => {
    await bed.start();
    await bed.write(...EVERY_EVENT.slice(0, 8));
    const { subject, headers } = encodeEvent(EVERY_EVENT[7]!);
    const altered = newHeaders();
    for (const [key, text] of Object.entries({ ...headers, 'ce-id': id('evt', 77) })) altered.set(key, text);
    altered.set('ce-type', 'retrace.workspace.dreamt.v1');
    const connection = await bed.connection('execution');
    await jetstream(connection).publish(subject.replace('operation.applied', 'workspace.dreamt'), '{}', {
      headers: altered,
    });
    expect(await bed.caughtUp()).toMatchObject({ lag: 0, sequence: 9, rejected: 0, unknown: 1 });
  }, 60_000);

  it('answers history, filters and the baseline as their calls say', async () => {
    await bed.write(...EVERY_EVENT);
    await bed.start();
    await bed.caughtUp();
    const { changes, more } = await bed.ask(ann, QueryHistory, ws, { path: './lib/a' });
    expect(more).toBe(false);
    expect(changes.map(({ sequence, path, task }) => [sequence, path.canonical, task])).toEqual([
      [17, 'lib/a', 'task 1'],
      [8, 'src/a', 'task 1'],
    ]);
    expect((await bed.ask(bob, QueryHistory, ws, { path: 'lib/a' })).changes).toEqual([]);
    const { workspaces } = await bed.ask(LOCAL_OPERATOR, QueryWorkspaces, '_', {});
    expect(workspaces.map(({ name, baseline }) => [name, baseline?.files])).toEqual([
      ['garden', undefined],
      ['shop', 2],
    ]);
    const found = async (asked: object) => (await log(asked)).entries.map(({ sequence }) => sequence);
    expect(await found({ glob: 'c', status: 'failed' })).toEqual([12]);
    expect(await found({ glob: '/lib/*' })).toEqual([20, 23, 25, 29]);
    expect(await found({ until: '2026-01-01T00:00:08+00:00' })).toEqual([8]);
    expect(await found({ kind: 'rollback', action: 'restore' })).toEqual([25, 29]);
    await expect(log({ glob: '!x' })).rejects.toMatchObject({ code: 'bad_request' });
  }, 60_000);
}
