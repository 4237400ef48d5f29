import { setTimeout as sleep } from 'node:timers/promises';
import {
  CHUNK_BYTES,
  type IntentId,
  IntentDenied,
  OperationApplied,
  OperationFailed,
  QueryLog,
  QueryOperation,
  QueryOutcome,
  RetraceError,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from './connect.js';
import { OutcomeUnknown } from './errors.js';
import type { Retrace } from './retrace.js';
import type { Session } from './session/session.js';
import { FakeSystem } from './testing/fake-system.js';
import { appliedData, deniedData, failedData, recordOf } from './testing/outcome-data.js';

/** A line of the log. */
const entryAt = (sequence: number) => ({
  sequence,
  time: new Date(0).toISOString(),
  logical_operation_id: newId('lop'),
  kind: 'operation',
  status: 'applied',
  agent: 'writer',
  session_id: null,
  task: null,
  tool: null,
  reason: null,
  code: null,
  message: null,
  rule: null,
  policy_version: null,
  undone_by: null,
  operations: [],
  operation_count: 0,
  path_count: 0,
  open: false,
});

/** A bus that starts again takes as long as the machine is busy. */
const RESTART_MS = 60_000;

describe('a connected agent', () => {
  let system: FakeSystem;
  let retrace: Retrace;
  let session: Session;

  const connectWriter = (timeoutMs = 20_000): Promise<Retrace> =>
    connect({ url: system.url, credentialsFile: system.credentialsFile('writer'), workspace: 'notes', timeoutMs });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await sleep(5);
  };

  beforeAll(async () => {
    system = await FakeSystem.start(['writer']);
  }, 120_000);
  afterAll(() => system.stop());

  beforeEach(async () => {
    system.onIntent = (asked) => system.succeed(asked);
    system.answer(QueryOutcome, () => ({ status: 'undecided', sequence: null, type: null, data: null }));
    retrace = await connectWriter();
    session = await retrace.openSession({ task: 'spec', model: { id: 'm', version: '1' } });
    system.intents.length = 0;
    system.blobs.clear();
  });
  afterEach(() => retrace.close());

  it('resolves with the records of what was applied, its content stored', async () => {
    const applied = await session.create('docs/a.md', 'hello', { reason: 'first', tool: 'spec' });
    expect(applied.operations).toMatchObject([{ action: 'create', path: { canonical: 'docs/a.md' }, reason: 'first' }]);
    expect(applied.sequence).toBeGreaterThan(0);
    expect(retrace.lastSequence).toBe(applied.sequence);
    expect([...system.blobs.values()].map(String)).toEqual(['hello']);
  });

  it('publishes the intent without waiting for its content', async () => {
    const content = new Uint8Array(3 * CHUNK_BYTES);
    let arrived = -1;
    system.onIntent = async (asked) => {
      arrived = [...system.blobs.values()][0]?.length ?? 0;
      await until(() => [...system.blobs.values()][0]?.length === content.length);
      await system.succeed(asked);
    };
    await session.write('big.bin', content);
    expect(arrived).toBeLessThan(content.length);
  });

  it('keeps the order of calls that are not awaited', async () => {
    const paths = Array.from({ length: 200 }, (_, index) => `f${index}`);
    await Promise.all(paths.map((path) => session.create(path, path)));
    const published = system.intents.map(
      ({ intent }) => intent.type === 'operation.apply' && intent.operations[0]?.path,
    );
    expect(published).toEqual(paths);
  });

  it('rejects with the rule that denied', async () => {
    system.onIntent = (asked) => system.emit(IntentDenied, asked, deniedData({ intent_id: asked.intent.intent_id }));
    await expect(session.delete('src/a.ts')).rejects.toMatchObject({
      name: 'IntentDeniedError',
      code: 'rule_denies',
      rule: 'no-sources',
      policyVersion: 3,
    });
  });

  it('rejects with what was expected and what was found', async () => {
    system.onIntent = (asked) => system.emit(OperationFailed, asked, failedData({ intent_id: asked.intent.intent_id }));
    await expect(session.write('docs/a.md', 'x')).rejects.toMatchObject({
      name: 'LostUpdateError',
      code: 'expected_mismatch',
      found: { kind: 'file' },
    });
  });

  it('withdraws what is aborted, and tells what became of it', async () => {
    const abort = new AbortController();
    // An intent that policy thinks about for long.
    system.onIntent = (asked) => (asked.intent.type === 'withdraw' ? system.succeed(asked) : Promise.resolve());
    const outcome = session.mkdir('later', { signal: abort.signal });
    await until(() => system.intents.length === 1);
    abort.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'withdrawn' });
    expect(system.intents.map(({ intent }) => intent.type)).toEqual(['operation.apply', 'withdraw']);
  });

  it('sends nothing when it was aborted before', async () => {
    await expect(session.mkdir('never', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    await session.mkdir('afterwards');
    expect(system.intents).toHaveLength(1);
  });

  it('leaves the outcome open when nothing is heard in time, and finds it by the id', async () => {
    system.onIntent = () => Promise.resolve();
    const error = await session.mkdir('slow', { timeoutMs: 50 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(OutcomeUnknown);
    const { intentId } = error as OutcomeUnknown;
    expect(await retrace.outcome(intentId)).toMatchObject({ status: 'undecided' });

    const data = appliedData({ intent_id: intentId });
    system.answer(QueryOutcome, () => ({ status: 'applied', sequence: 77, type: OperationApplied.type, data }));
    expect(await session.mkdir('slow', { intentId })).toMatchObject({ sequence: 77, intentId });
  });

  it('has all records of what it heard of late, or says how many there are', async () => {
    system.onIntent = () => Promise.resolve();
    const records = [recordOf(), recordOf({ operation_id: newId('op') })];
    const detail = { sequence: 77, time: 'then', workspace: 'notes', kind: 'operation', undone_by: null };
    const cutOutcome = (intentId: IntentId) => {
      const data = { ...appliedData({ intent_id: intentId, operations: records.slice(0, 1) }), operation_count: 2 };
      system.answer(QueryOutcome, () => ({ status: 'applied', sequence: 77, type: OperationApplied.type, data }));
    };
    const [missed, partly] = [newId('int'), newId('int')];
    cutOutcome(partly);
    system.answer(QueryOperation, () => {
      throw new RetraceError('unavailable', 'away');
    });
    const some = await session.mkdir('slow', { intentId: partly });
    expect([some.operations.length, some.operationCount]).toEqual([1, 2]);

    cutOutcome(missed);
    system.answer(QueryOperation, () => ({ operations: [{ ...records[1], ...detail }], total: 2 }));
    expect(await session.mkdir('slow', { intentId: missed })).toMatchObject({ operations: records, operationCount: 2 });
  });

  it(
    'finds what it missed when the bus was away',
    async () => {
      system.onIntent = () => Promise.resolve();
      const intentId = newId('int');
      const outcome = session.mkdir('a', { intentId });
      await until(() => system.intents.length === 1);
      let asked = 0;
      system.answer(QueryOutcome, () => {
        asked += 1;
        const data = appliedData({ intent_id: intentId });
        // Projection is behind at first.
        return asked < 2
          ? { status: 'undecided', sequence: null, type: null, data: null }
          : { status: 'applied', sequence: 5, type: OperationApplied.type, data };
      });
      await system.restartBus();
      expect(await outcome).toMatchObject({ kind: 'applied', intentId });
    },
    RESTART_MS,
  );

  it(
    'keeps the order of what is sent while the bus is away',
    async () => {
      system.onIntent = (asked) => system.succeed(asked);
      const back = system.restartBus();
      const outcomes = ['a', 'b', 'c'].map((path) => session.mkdir(path));
      await back;
      await Promise.all(outcomes);
      const paths = system.intents.map(({ intent }) => intent.type === 'operation.apply' && intent.operations[0]?.path);
      expect([...new Set(paths)]).toEqual(['a', 'b', 'c']);
    },
    RESTART_MS,
  );

  it('asks for its own writes to be seen', async () => {
    let minSequence: number | undefined;
    system.answer(QueryLog, (request) => {
      minSequence = (request as { min_sequence?: number }).min_sequence;
      return { entries: [], cursor: 0, more: false };
    });
    const { sequence } = await session.mkdir('a');
    await retrace.log();
    expect(minSequence).toBe(sequence);
  });

  it(
    'follows the log over a bus that goes and comes back: each entry once',
    async () => {
      const last = 12;
      system.answer(QueryLog, async (request) => {
        const { after_sequence = 0 } = request as { after_sequence?: number };
        // The end of the log is a wait, during which the bus may go.
        if (after_sequence % 4 === 0) await sleep(50);
        const entries = after_sequence < last ? [entryAt(after_sequence + 1)] : [];
        return { entries, cursor: after_sequence + entries.length, more: after_sequence + 1 < last };
      });
      const seen: number[] = [];
      let restarted: Promise<void> | undefined;
      for await (const { sequence } of retrace.events({ after: 0 })) {
        seen.push(sequence);
        if (sequence === 4) restarted = system.restartBus();
        if (sequence === last) break;
      }
      expect(seen).toEqual(Array.from({ length: last }, (_, nth) => nth + 1));
      await restarted;
    },
    RESTART_MS,
  );

  it('ends what follows the log when it is closed', async () => {
    system.answer(QueryLog, () => new Promise(() => undefined));
    const other = await connectWriter();
    const next = other.events({ after: 0 }).next();
    await other.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('passes on what a service says, and that nobody answers', async () => {
    system.answer(QueryLog, () => {
      throw new RetraceError('not_a_member', 'writer is no member of notes');
    });
    await expect(retrace.log()).rejects.toMatchObject({
      code: 'not_a_member',
      message: 'writer is no member of notes',
    });
    // Asked again for a while: a service may be starting.
    await expect(retrace.sessions()).rejects.toMatchObject({ code: 'unavailable' });
  }, 20_000);

  it('tells whoever still waits that it was closed', async () => {
    system.onIntent = () => Promise.resolve();
    const other = await connectWriter();
    const waiting = other.session(session.id).mkdir('a');
    const [outcome] = await Promise.allSettled([waiting, other.close()]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'outcome_unknown' } });
  });

  it('refuses to start without a bus, or with a wrong password', async () => {
    const nobody = { principal: 'writer', user: 'writer', password: 'wrong' };
    await expect(connect({ url: system.url, credentials: nobody, workspace: 'notes' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(connect({ url: 'nats://127.0.0.1:1', credentials: nobody, workspace: 'notes' })).rejects.toThrow(
      /retrace status/,
    );
  });
});
