import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ABSENT,
  type ApplyIntent,
  BlobGet,
  BlobMissing,
  type Fact,
  FsFacts,
  FsTree,
  IntentAuthorized,
  IntentStale,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  type LogicalOperationId,
  LogicalOperationOpened,
  type OperationRecord,
  type OperationRequest,
  OperationApplied,
  PlanGet,
  PlanSteps,
  type Principal,
  RetraceError,
} from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import { apply, fact, file, folder, hash, id, operation, transfer } from './domain/testing.js';
import { OPERATOR, PolicyHarness, until, WS, WRITER } from './testing/policy-harness.js';

/** Thousands of operations go through the log, and are read back. */
jest.setTimeout(30_000);

const SESSION = id<never>('ses', 1);
const int = (number: number) => id<never>('int', number);
const write = (path: string, number: number): OperationRequest => operation('write', path, number);
const all = (path: string, number: number): OperationRequest =>
  ({ ...operation('delete', path, number), recursive: true }) as OperationRequest;

/** Policy looks at no record: whichever the log takes will do. */
const record = (logical_operation_id: LogicalOperationId): OperationRecord => ({
  operation_id: id('op', 1),
  logical_operation_id,
  session_id: SESSION,
  agent_id: WRITER,
  tool: null,
  model: null,
  action: 'write',
  path: { typed: 'a', canonical: 'a' as never },
  parameters: { content_hash: null, overwrite: false, expected_state_hash: null, write_mode: null, matches: null },
  part_of: null,
  moved_from: null,
  moved_to: null,
  copied_from: null,
  reason: null,
  provenance: {},
  trace_id: null,
  rollback_instruction: { path: 'a' as never, expect: ABSENT, restore: ABSENT },
  state_snapshot_before: { state: ABSENT, sequence: null },
  state_snapshot_after: { state: ABSENT, sequence: null },
  decision: { policy_version: 1, rule: 'free' },
  duration_ms: null,
  undo_coverage: { undoable: true, restores: [], lost: [] },
  compensates: [],
  notes: [],
});

describe('the main job', () => {
  let policy: PolicyHarness;
  /** What stands in the workspace. */
  let disk: Map<string, Fact>;
  let trees: string[];

  beforeEach(async () => {
    policy = await PolicyHarness.open();
    disk = new Map();
    trees = [];
    policy.answer(FsFacts, ({ paths }) =>
      Promise.resolve({ facts: paths.map((path) => disk.get(path) ?? fact(path, ABSENT)) }),
    );
    policy.answer(FsTree, ({ path, after, limit }) => {
      if (after === undefined) trees.push(path);
      const below = [...disk.values()]
        .filter((known) => known.path === path || known.path.startsWith(`${path}/`))
        .filter((known) => after === undefined || known.path > after)
        .toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const facts = below.slice(0, limit);
      return Promise.resolve({ facts, next: below.length > limit ? facts.at(-1)!.path : null });
    });
    await policy.workspaceIsReady();
  });
  afterEach(() => policy.close());

  const put = (...facts: Fact[]): void => facts.forEach((one) => disk.set(one.path, one));
  const start = async (timings: Parameters<PolicyHarness['start']>[0] = {}): Promise<void> => {
    await policy.start(timings);
    await openSession(1, WRITER);
  };
  const openSession = async (number: number, by: Principal): Promise<void> => {
    const session_id = id<never>('ses', number);
    await policy.send({ type: 'session.open', intent_id: int(900 + number), session_id, task: 't' }, by);
    await policy.answerTo(int(900 + number));
  };
  const send = (number: number, requests: OperationRequest[], changed: Partial<ApplyIntent> = {}, by = WRITER) =>
    policy.send(apply(requests, { intent_id: int(number), ...changed }), by);
  /** Execution says that what an intent was authorized to do is on the disk. */
  const isApplied = async (number: number): Promise<void> => {
    const { data, sequence, id: eventId } = await policy.answerTo(int(number));
    const { logical_operation_id, part } = data as unknown as { logical_operation_id: never; part: number };
    await policy.happened(OperationApplied, {
      logical_operation_id,
      kind: 'operation',
      intent_id: int(number),
      session_id: SESSION,
      rollback_id: null,
      part,
      authorized_by: { sequence, event_id: eventId },
      epoch: 1,
      operations: [record(logical_operation_id)],
    });
  };
  const typeOf = async (number: number) => (await policy.answerTo(int(number))).type;
  const codeOf = async (number: number) => ((await policy.answerTo(int(number))).data as { code?: string }).code;

  describe('what an operation reaches', () => {
    it('is looked up page by page and expanded', async () => {
      put(fact('free/d', folder()));
      for (let index = 0; index < 4500; index++) put(fact(`free/d/${String(index).padStart(5, '0')}`, file()));
      await start();
      await send(1, [all('free/d', 1)]);
      const answer = await policy.answerTo(int(1));
      expect(answer.type).toBe(IntentAuthorized.type);
      const { operations } = answer.data as unknown as {
        operations: { request: OperationRequest; canonical: string }[];
      };
      expect(operations).toHaveLength(4501);
      expect(operations[0]).toMatchObject({
        canonical: 'free/d/04499',
        request: { operation_id: deriveId('op', id('op', 1), 'part', 'free/d/04499') },
      });
      expect(operations.at(-1)).toMatchObject({ canonical: 'free/d', request: { operation_id: id('op', 1) } });
    });

    it('is looked up once work in flight there has ended, and others do not wait', async () => {
      await start();
      await openSession(2, OPERATOR);
      put(fact('free/d', folder()));
      await send(1, [operation('create', 'free/d/new', 1)]);
      await policy.answerTo(int(1));
      await send(2, [all('free/d', 2)]);
      await send(3, [write('elsewhere', 3)], { session_id: id<never>('ses', 2) }, OPERATOR);
      expect(await typeOf(3)).toBe(IntentAuthorized.type);
      expect(trees).toEqual([]);
      put(fact('free/d/new', file()));
      await isApplied(1);
      expect((await policy.answerTo(int(2))).data).toMatchObject({
        operations: [{ canonical: 'free/d/new', part_of: id('op', 2) }, { canonical: 'free/d' }],
      });
    });

    it('is denied, to be tried again, where that work does not end', async () => {
      await start({ quietGiveUpMs: 1 });
      put(fact('free/d', folder()));
      await send(1, [operation('create', 'free/d/new', 1)]);
      await policy.answerTo(int(1));
      await send(2, [all('free/d', 2)]);
      expect((await policy.answerTo(int(2))).data).toMatchObject({ code: 'busy', retryable: true });
    });

    it('is named where it cannot be looked at, and nobody is asked again', async () => {
      put(fact('free/d', folder()));
      let asked = 0;
      policy.answer(FsTree, () => {
        asked += 1;
        return Promise.reject(new RetraceError('not_permitted', 'free/d: may not be listed'));
      });
      await start();
      await send(1, [all('free/d', 1)]);
      expect((await policy.answerTo(int(1))).data).toMatchObject({ code: 'not_permitted', path: 'free/d' });
      expect(asked).toBe(1);
    });

    it('keeps two large intents of one agent in memory at most, and refuses none', async () => {
      await start({ factsParkMs: 1 });
      let missing = true;
      policy.answer(BlobMissing, ({ hashes }) => Promise.resolve({ missing: missing ? hashes : [] }));
      for (const number of [1, 2, 3]) {
        put(fact(`free/d${number}`, folder()));
        await send(number, [all(`free/d${number}`, number), write(`free/w${number}`, 10 + number)]);
      }
      await until('two to be looked at', () => Promise.resolve(trees.length >= 2 || undefined));
      await send(4, [operation('mkdir', 'free/other', 4)]);
      await policy.answerTo(int(4));
      expect(trees).toEqual(['free/d1', 'free/d2']);
      missing = false;
      for (const number of [1, 2, 3]) expect(await typeOf(number)).toBe(IntentAuthorized.type);
      expect(trees).toEqual(['free/d1', 'free/d2', 'free/d3']);
    });

    it('is decided again from what was asked for, where it went stale', async () => {
      await start();
      put(fact('free/d', folder()), fact('free/d/a', file()));
      const move = transfer('move', 'free/d', 'free/n');
      await send(1, [move]);
      const { data } = await policy.answerTo(int(1));
      put(fact('free/d/b', file()));
      await policy.happened(IntentStale, {
        intent_id: int(1),
        in_sequence: (data as { in_sequence: number }).in_sequence,
        attempt: 1,
        logical_operation_id: (data as unknown as { logical_operation_id: never }).logical_operation_id,
        paths: [{ path: 'free/d', why: 'moved' }],
      });
      const again = await policy.answerTo(int(1), 2);
      expect(again.data).toMatchObject({
        operations: [
          { asked: move, canonical: 'free/n' },
          { canonical: 'free/n/a' },
          { canonical: 'free/n/b' },
          { canonical: 'free/d', request: { action: 'rmdir' } },
        ],
      });
    });
  });

  describe('operations in a blob', () => {
    const blobOf = (bytes: Uint8Array, count: number) => ({
      hash: createHash('sha256').update(bytes).digest('hex') as never,
      size: bytes.length,
      count,
    });
    const answerBlob = (bytes: Uint8Array): void =>
      policy.answer(BlobGet, ({ offset, length }) => Promise.resolve(bytes.subarray(offset, offset + length)));
    const listed = (count: number): Uint8Array =>
      Buffer.from(JSON.stringify(Array.from({ length: count }, (_, index) => write(`free/${index}`, index))));

    it('are fetched, read and decided, as many as may be asked for', async () => {
      const bytes = listed(10_000);
      answerBlob(bytes);
      await start();
      await send(1, [], { operations_blob: blobOf(bytes, 10_000) });
      const answer = await policy.answerTo(int(1));
      expect(answer.type).toBe(IntentAuthorized.type);
      expect((answer.data as unknown as { operations: unknown[] }).operations).toHaveLength(10_000);
      await send(2, [write('free/x', 1)]);
      expect(await codeOf(2)).toBe('duplicate_operation_id');
    });

    it('are denied where the blob does not hold what the intent says, or is not there', async () => {
      const bytes = listed(3);
      answerBlob(bytes);
      await start({ blobWaitMs: 1 });
      await send(1, [], { operations_blob: blobOf(bytes, 4) });
      await send(2, [], { operations_blob: { ...blobOf(bytes, 3), hash: hash('f') } });
      await send(3, [], { operations_blob: { ...blobOf(bytes, 3), size: bytes.length - 1 } });
      expect(await codeOf(1)).toBe('malformed_intent');
      expect(await codeOf(2)).toBe('malformed_intent');
      expect(await codeOf(3)).toBe('malformed_intent');
      policy.answer(BlobMissing, ({ hashes }) => Promise.resolve({ missing: hashes }));
      await send(4, [], { operations_blob: blobOf(bytes, 3) });
      expect(await codeOf(4)).toBe('content_missing');
    });
  });

  describe('an open logical operation', () => {
    const LOP = id<never>('lop', 5);
    const of = (type: 'operation.open' | 'operation.commit' | 'operation.abort', number: number, more = {}) =>
      policy.send({ type, intent_id: int(number), session_id: SESSION, logical_operation_id: LOP, ...more });

    it('is filled in order, and committed once all parts are applied', async () => {
      await start();
      await of('operation.open', 10);
      await send(1, [write('free/a', 1)], { logical_operation_id: LOP });
      await send(2, [write('free/b', 2)], { logical_operation_id: LOP });
      await of('operation.commit', 11);
      expect((await policy.answerTo(int(1))).data).toMatchObject({ logical_operation_id: LOP, open: true, part: 1 });
      expect((await policy.answerTo(int(2))).data).toMatchObject({ part: 2 });
      await isApplied(2);
      // Decided behind the commit, which still waits.
      await send(3, [write('free/c', 3)]);
      expect(await typeOf(3)).toBe(IntentAuthorized.type);
      expect(await policy.events('logical_operation.committed')).toEqual([]);
      await isApplied(1);
      expect(await typeOf(11)).toBe(LogicalOperationCommitted.type);
    });

    it('whose parts have no outcome in time is not ended yet', async () => {
      await start({ partsGiveUpMs: 1 });
      await of('operation.open', 10);
      await send(1, [write('free/a', 1)], { logical_operation_id: LOP });
      await of('operation.commit', 11);
      expect((await policy.answerTo(int(11))).data).toMatchObject({ code: 'workspace_unavailable', retryable: true });
      await isApplied(1);
      await of('operation.commit', 12);
      expect(await typeOf(12)).toBe(LogicalOperationCommitted.type);
    });

    it('is aborted at its time, after its parts, by an event that can be said twice', async () => {
      await start();
      await of('operation.open', 10, { timeout_ms: 1000 });
      await send(1, [write('free/a', 1)], { logical_operation_id: LOP });
      await isApplied(1);
      const [aborted] = await policy.eventually('logical_operation.aborted');
      expect(aborted).toMatchObject({
        id: deriveId('evt', WS, LOP, 'timeout'),
        agent: WRITER,
        data: {
          why: 'timeout',
          in_sequence: 0,
          session_id: SESSION,
          rollback_id: deriveId('rbk', WS, LOP, 'timeout'),
          rollback_logical_operation_id: deriveId('lop', WS, LOP, 'timeout', 'rollback'),
        },
      });
      await send(2, [write('free/b', 2)], { logical_operation_id: LOP });
      expect(await codeOf(2)).toBe('logical_operation_closed');
    });

    it('is aborted after a restart, if its time went by meanwhile, and no sooner than its parts have ended', async () => {
      await start();
      await of('operation.open', 10, { timeout_ms: 3_600_000 });
      await policy.answerTo(int(10));
      await policy.stop();
      const late = { time: '2026-01-01T00:00:00.000Z' };
      const other = id<never>('lop', 6);
      const opening = { in_sequence: 50, attempt: 1, session_id: SESSION, reason: null, timeout_ms: 1000 };
      await policy.happened(
        LogicalOperationOpened,
        { ...opening, intent_id: int(50), logical_operation_id: other },
        late,
      );
      await policy.start();
      const aborted = await policy.eventually('logical_operation.aborted');
      expect(aborted.map(({ data }) => (data as { logical_operation_id: string }).logical_operation_id)).toEqual([
        other,
      ]);
      await of('operation.abort', 11, { reason: 'password=hunter22' });
      expect((await policy.answerTo(int(11))).data).toMatchObject({
        logical_operation_id: LOP,
        why: 'requested',
        reason: 'password=[redacted:password]',
      });
      expect(await typeOf(11)).toBe(LogicalOperationAborted.type);
    });

    it('cannot be kept open by an intent with the id of its time-out', async () => {
      await start();
      const intent_id = deriveId('int', WS, LOP, 'timeout');
      await policy.send({ type: 'session.open', intent_id, session_id: id<never>('ses', 7), task: 't' });
      await of('operation.open', 10, { timeout_ms: 1000 });
      await policy.send({ type: 'withdraw', intent_id: int(11), withdrawn_intent_id: intent_id });
      expect(await policy.eventually('logical_operation.aborted')).toHaveLength(1);
    });
  });

  it('judges every step of a plan that its answer does not hold', async () => {
    await start();
    const step = (path: string) => ({
      compensates: [id<never>('op', 1)],
      path: path as never,
      expect: file(),
      restore: ABSENT,
      how: 'restore' as const,
      keeps: [],
    });
    const steps = [...Array.from({ length: 1500 }, (_, index) => step(`free/${index}`)), step('free/.git/config')];
    policy.answer(PlanGet, ({ plan_hash }) =>
      Promise.resolve({
        plan_hash,
        workspace: WS,
        requested_by: WRITER,
        selection: { by: 'session', session_id: SESSION },
        except: [],
        options: { merge: false, force: false, skip: false, all_or_none: false },
        at_sequence: 1,
        undoes: [],
        owners: [WRITER],
        steps: steps.slice(0, 1000),
        step_count: steps.length,
        left_out: [],
      }),
    );
    policy.answer(PlanSteps, ({ from, limit }) =>
      Promise.resolve({ steps: steps.slice(from, from + Math.min(limit, 400)) }),
    );
    await policy.send({ type: 'rollback', intent_id: int(1), plan_hash: hash('f') });
    expect(await codeOf(1)).toBe('protected_path');
  });
});
