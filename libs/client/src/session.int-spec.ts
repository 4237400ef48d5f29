import { setTimeout as sleep } from 'node:timers/promises';
import {
  ABSENT,
  FsRead,
  FsStat,
  IntentDenied,
  LogicalOperationCommitted,
  OperationApplied,
  OperationFailed,
  type OperationRequest,
  OperationsBlobSchema,
  type PathState,
  QueryOutcome,
  RollbackCompleted,
  RPC_HEADERS,
  type WorkspacePath,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { RawReply } from '@retrace/messaging';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from './connect.js';
import { ChangedOutsideError, LostUpdateError, OutcomeUnknown, UploadFailedError } from './errors.js';
import type { Retrace } from './retrace.js';
import type { Session } from './session/session.js';
import type { FakeIntent } from './testing/fake-intent.js';
import { FakeSystem } from './testing/fake-system.js';
import { appliedData, deniedData, failedData, fileState, recordOf, rollbackData } from './testing/outcome-data.js';

const spelled = (path: string): WorkspacePath => path.replace(/^\.\//, '') as WorkspacePath;
const [A, B] = [fileState('a'), fileState('b')];

describe('a session', () => {
  let system: FakeSystem;
  let retrace: Retrace;
  let session: Session;
  /** What stands at every path that is read. */
  let standing: PathState;

  const asked = (nth = -1) =>
    system.intents.at(nth)!.intent as Extract<FakeIntent['intent'], { type: 'operation.apply' }>;
  const sent = (nth = -1): OperationRequest => asked(nth).operations[0]!;
  /** Answers an apply as done, with this state left at its paths. */
  const applied = (one: FakeIntent, after: PathState) => {
    if (one.intent.type !== 'operation.apply') return system.succeed(one);
    const { intent_id, session_id, operations } = one.intent;
    const records = operations.map(({ path }) =>
      recordOf({
        path: { typed: path, canonical: spelled(path) },
        state_snapshot_after: { state: after, sequence: 'self' },
      }),
    );
    return system.emit(OperationApplied, one, appliedData({ intent_id, session_id, operations: records }));
  };
  const failing = (change: Parameters<typeof failedData>[0]) => (one: FakeIntent) =>
    system.emit(OperationFailed, one, failedData({ intent_id: one.intent.intent_id, ...change }));

  beforeAll(async () => {
    system = await FakeSystem.start(['writer']);
    system.answer(FsRead, () => {
      const headers = { [RPC_HEADERS.size]: '1', [RPC_HEADERS.state]: JSON.stringify(standing) };
      return new RawReply(Buffer.from('x'), headers);
    });
    system.answer(FsStat, (request) => {
      const { path: canonical } = request as { path: string };
      return { canonical, state: standing, modified_at: null, recorded: null };
    });
  }, 120_000);
  afterAll(() => system.stop());

  beforeEach(async () => {
    standing = A;
    system.onIntent = (one) => system.succeed(one);
    system.answer(QueryOutcome, () => ({ status: 'undecided', sequence: null, type: null, data: null }));
    const credentialsFile = system.credentialsFile('writer');
    retrace = await connect({ url: system.url, credentialsFile, workspace: 'notes', timeoutMs: 20_000 });
    session = await retrace.openSession({ task: 'spec' });
    system.intents.length = 0;
    system.blobs.clear();
  });
  afterEach(() => retrace.close());

  it('sends each verb as the contract has it', async () => {
    await session.append('a', 'x', { mode: 0o600 });
    await session.mkdir('d', { parents: true });
    await session.rmdir('d');
    await session.chmod('a', 0o640);
    await session.symlink('l', 'a');
    await session.move('a', 'b', { overwrite: true });
    await session.copy('b', 'c', { recursive: true });
    await session.delete('c', { recursive: true });
    const requests = system.intents.map(({ intent }) => intent.type === 'operation.apply' && intent.operations[0]);
    expect(requests).toMatchObject([
      { action: 'append', path: 'a', mode: 0o600, size: 1 },
      { action: 'mkdir', path: 'd', parents: true },
      { action: 'rmdir', path: 'd' },
      { action: 'chmod', path: 'a', mode: 0o640 },
      { action: 'symlink', path: 'l', target: 'a' },
      { action: 'move', path: 'a', to: 'b', overwrite: true },
      { action: 'copy', path: 'b', to: 'c', recursive: true },
      { action: 'delete', path: 'c', recursive: true },
    ]);
  });

  it.each([
    ['read', () => session.read('a.md')],
    ['stat', () => session.stat('a.md')],
    [
      'readStream',
      async () => {
        for await (const _ of session.readStream('a.md'));
      },
    ],
  ])('expects what %s found, and afterwards what it left', async (_, read) => {
    system.onIntent = (one) => applied(one, B);
    await read();
    await session.write('./a.md', 'x');
    expect(sent().expected).toEqual(A);
    await session.write('a.md', 'x');
    expect(sent().expected).toEqual(B);
    await session.write('a.md', 'x', { expected: 'any' });
    expect(sent().expected).toBeUndefined();
    await session.write('a.md', 'x', { expected: ABSENT });
    expect(sent().expected).toEqual(ABSENT);
  });

  it('expects nothing where that is switched off', async () => {
    const forgetful = await retrace.openSession({ task: 'spec', remember: false });
    await forgetful.read('a.md');
    await forgetful.write('a.md', 'x');
    expect(sent().expected).toBeUndefined();
  });

  it('expects nothing of calls that are not awaited', async () => {
    await session.read('a.md');
    await Promise.all(['1', '2', '3'].map((text) => session.write('a.md', text)));
    expect(system.intents.map((_, nth) => sent(nth).expected)).toEqual([A, undefined, undefined]);
  });

  it('rejects a lost update with what was expected and found, and expects nothing after it', async () => {
    await session.read('docs/a.md');
    system.onIntent = failing({});
    const error = await session.write('docs/a.md', 'x').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LostUpdateError);
    expect(error).toMatchObject({ expected: A, found: B });
    system.onIntent = (one) => system.succeed(one);
    await session.write('docs/a.md', 'x');
    expect(sent().expected).toBeUndefined();
  });

  it('says that nobody recorded what stands there', async () => {
    system.onIntent = failing({ code: 'changed_outside' });
    await expect(session.write('docs/a.md', 'x')).rejects.toBeInstanceOf(ChangedOutsideError);
  });

  it('expects nothing while an outcome is unknown, and what it left once that is known', async () => {
    let open!: FakeIntent;
    system.onIntent = (one) => Promise.resolve((open = one));
    await session.read('a.md');
    await expect(session.write('a.md', 'x', { timeoutMs: 20 })).rejects.toBeInstanceOf(OutcomeUnknown);
    system.onIntent = (one) => applied(one, A);
    await session.write('a.md', 'x');
    expect(sent().expected).toBeUndefined();
    await applied(open, B);
    // Outcomes are heard in the order of the log.
    await session.mkdir('other');
    await session.write('a.md', 'x');
    expect(sent().expected).toEqual(B);
  });

  it('spools a stream, sends it before its intent, and keeps its place in the order', async () => {
    const size = 3_000_000;
    async function* stream() {
      for (let left = size; left > 0; left -= 100_000) {
        await sleep(0);
        yield new Uint8Array(100_000).fill(left % 251);
      }
    }
    await Promise.all([session.write('big', stream()), session.mkdir('after')]);
    expect(system.intents.map((_, nth) => sent(nth).path)).toEqual(['big', 'after']);
    expect(sent(0)).toMatchObject({ size });
    expect([...system.blobs.values()].map(({ length }) => length)).toEqual([size]);
  });

  it('says why content could not be stored, and goes on', async () => {
    const failed = session.write('a', { file: '/absent/file' });
    const after = session.mkdir('b');
    await expect(failed).rejects.toBeInstanceOf(UploadFailedError);
    await expect(failed).rejects.toMatchObject({ code: 'content_unreadable' });
    await after;
    expect(system.intents).toHaveLength(1);
  });

  it('brings ten thousand operations as a blob, and takes their outcome in pages', async () => {
    const count = 10_000;
    system.onIntent = (one) => {
      const { operations_blob, intent_id } = one.intent as ReturnType<typeof asked>;
      const requests = JSON.parse(system.blobs.get(operations_blob!.hash)!.toString()) as OperationRequest[];
      const operations = requests.map(({ operation_id, path }) =>
        recordOf({ operation_id, path: { typed: path, canonical: path as WorkspacePath } }),
      );
      return system.emit(OperationApplied, one, appliedData({ intent_id, operations }));
    };
    const inputs = Array.from({ length: count }, (_, nth) => ({ create: `d/f${nth}`, content: `content ${nth}` }));
    const { operations } = await session.apply(inputs, { timeoutMs: 100_000 });
    expect(operations).toHaveLength(count);
    expect(operations.at(-1)!.path.canonical).toBe(`d/f${count - 1}`);
    expect(asked().operations).toEqual([]);
    expect(OperationsBlobSchema.parse(asked().operations_blob)).toMatchObject({ count });
    expect(system.blobs.size).toBe(count + 1);
    const tooMany = session.apply([...inputs, { mkdir: 'one-more' }]);
    await expect(tooMany).rejects.toMatchObject({ code: 'too_many_operations' });
  }, 120_000);

  it('fills an open logical operation, and ends it by commit', async () => {
    const lop = await session.begin({ reason: 'all of it', timeoutMs: 5_000 });
    await lop.write('a', 'x');
    expect(asked()).toMatchObject({ logical_operation_id: lop.id, session_id: session.id });
    expect(await lop.commit()).toMatchObject({ kind: 'committed', logicalOperationId: lop.id });
    await lop[Symbol.asyncDispose]();
    const types = system.intents.map(({ intent }) => intent.type);
    expect(types).toEqual(['operation.open', 'operation.apply', 'operation.commit']);
    expect(system.intents[0]!.intent).toMatchObject({ reason: 'all of it', timeout_ms: 5_000 });
  });

  it('ends an abort with the report of the rollback, after which what it restored is not expected', async () => {
    system.onIntent = (one) => (one.intent.type === 'operation.apply' ? applied(one, B) : system.succeed(one));
    const lop = await session.begin();
    await lop.write('docs/a.md', 'x');
    const report = await lop.abort({ reason: 'no' });
    expect(report).toMatchObject({ kind: 'undo', outcome: 'undone', report: { restored: ['docs/a.md'] } });
    await session.write('docs/a.md', 'x');
    expect(sent().expected).toBeUndefined();
  });

  it('aborts what was not committed, also where the commit was refused', async () => {
    const lop = await session.begin();
    await lop[Symbol.asyncDispose]();
    const refused = await session.begin();
    system.onIntent = (one) =>
      one.intent.type === 'operation.commit'
        ? system.emit(IntentDenied, one, deniedData({ intent_id: one.intent.intent_id }))
        : system.succeed(one);
    await expect(refused.commit()).rejects.toMatchObject({ code: 'rule_denies' });
    await refused[Symbol.asyncDispose]();
    const aborted = system.intents.flatMap(({ intent }) =>
      intent.type === 'operation.abort' ? [intent.logical_operation_id] : [],
    );
    expect(aborted).toEqual([lop.id, refused.id]);
  });

  it('leaves a logical operation alone whose commit may have been done', async () => {
    const lop = await session.begin();
    system.onIntent = () => Promise.resolve();
    await expect(lop.commit({ timeoutMs: 20 })).rejects.toBeInstanceOf(OutcomeUnknown);
    await lop[Symbol.asyncDispose]();
    expect(system.intents.map(({ intent }) => intent.type)).not.toContain('operation.abort');
  });

  it('withdraws by an id, and tells how the intent ended', async () => {
    system.onIntent = (one) => (one.intent.type === 'withdraw' ? system.succeed(one) : Promise.resolve());
    const intentId = newId('int');
    const waiting = session.mkdir('later', { intentId });
    expect(await retrace.cancel(intentId)).toMatchObject({ code: 'withdrawn' });
    await expect(waiting).rejects.toMatchObject({ code: 'withdrawn' });

    const decided = newId('int');
    const data = { intent_id: decided, in_sequence: 1, attempt: 1 };
    const committed = { ...data, logical_operation_id: newId('lop'), session_id: session.id };
    system.answer(QueryOutcome, () => ({
      status: 'completed',
      sequence: 9,
      type: LogicalOperationCommitted.type,
      data: committed,
    }));
    system.onIntent = () => Promise.resolve();
    expect(await retrace.cancel(decided)).toMatchObject({ kind: 'committed', sequence: 9 });
  });

  it('waits for its calls before it plans an undo of them', async () => {
    system.onIntent = async (one) => {
      await sleep(20);
      return one.intent.type === 'rollback'
        ? system.emit(RollbackCompleted, one, rollbackData({ intent_id: one.intent.intent_id }))
        : system.succeed(one);
    };
    const { PlanMake } = await import('@retrace/contracts');
    let appliedBefore = false;
    let done = false;
    system.answer(PlanMake, (request) => {
      appliedBefore = done;
      const { selection } = request as { selection: never };
      const none = { undoes: [], owners: [], steps: [], step_count: 0, left_out: [] };
      return {
        plan_hash: '0'.repeat(64),
        workspace: 'notes',
        requested_by: 'writer',
        selection,
        at_sequence: 1,
        ...none,
      };
    });
    const write = session.write('a', 'x').then(() => (done = true));
    expect(await session.undo({ allOrNone: true })).toMatchObject({ outcome: 'undone' });
    await write;
    expect(appliedBefore).toBe(true);
  });
});
