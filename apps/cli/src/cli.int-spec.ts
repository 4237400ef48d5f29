import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deniedData, failedData, FakeSystem, fileState, recordOf, rollbackData } from '@retrace/client/testing';
import {
  BlobGet,
  type EventData,
  FsAddWorkspace,
  FsBaseline,
  FsRead,
  IntentDenied,
  OperationFailed,
  PlanDiff,
  PlanMake,
  PolicyAddMember,
  PolicyExplain,
  PolicyPublish,
  QueryEntry,
  QueryLog,
  QueryOperation,
  QueryOutcome,
  QueryStatus,
  QueryVersion,
  QueryWorkspaces,
  RetraceError,
  RollbackCompleted,
  RPC_HEADERS,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { RawReply } from '@retrace/messaging';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from './run.js';
import { fakeIo } from './testing/fake-io.js';
import { leftOut, LOP, logRow, OP, planOf, SES } from './testing/samples.js';

const NOTES = {
  name: 'notes',
  root: '/srv/notes',
  policy: 'team',
  policy_version: 1,
  members: [],
  logical_operations: 0,
  baseline: null,
};

describe('the command line, on a system', () => {
  let system: FakeSystem;
  let folder: string;
  let asked: { call: string; workspace: string; request: unknown }[];

  const retrace = async (argv: readonly string[], world: Parameters<typeof fakeIo>[0] = {}) => {
    const io = fakeIo({ cwd: folder, ...world, env: { RETRACE_HOME: system.home.folder, ...world?.env } });
    return { exit: await run(argv, io), out: io.out(), err: io.err() };
  };
  const json = async (argv: readonly string[]) => {
    const { exit, out, err } = await retrace([...argv, '--json']);
    return { exit, ...(JSON.parse(out || err) as Record<string, unknown>) };
  };
  const answer = (call: Parameters<FakeSystem['answer']>[0], reply: (request: never) => unknown): void =>
    system.answer(call, (request, workspace) => {
      asked.push({ call: `${call.service}.${call.verb}`, workspace, request });
      return reply(request as never);
    });
  const requestsOf = (call: string) => asked.filter((one) => one.call === call).map(({ request }) => request);
  const intents = () => system.intents.map(({ intent }) => intent);

  beforeAll(async () => {
    system = await FakeSystem.start(['writer']);
    await system.announce();
    folder = await mkdtemp(join(tmpdir(), 'retrace-cwd-'));
  }, 120_000);
  afterAll(async () => {
    await system.stop();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    asked = [];
    system.intents.length = 0;
    system.blobs.clear();
    system.onIntent = (one) => system.succeed(one);
    answer(QueryStatus, () => ({ sequence: 9, last_sequence: 9, lag: 0, rejected: 0, rebuild: null }));
    answer(QueryWorkspaces, () => ({ workspaces: [NOTES] }));
    answer(QueryLog, () => ({ entries: [logRow()], cursor: 1042, more: false }));
    answer(QueryOutcome, () => ({ status: 'undecided', sequence: null, type: null, data: null }));
    answer(PlanMake, () => planOf());
    answer(PlanDiff, ({ path }: { path: string }) => ({ path, diff: '', binary: true, truncated: false }));
    answer(FsBaseline, () => ({ status: 'done', files: 3, bytes: 10, found: 3, message: null }));
  });

  it('writes in a session for this command alone, which it completes', async () => {
    const { exit, out } = await retrace(['write', 'docs/a.md', '--content', 'hello', '--reason', 'first']);
    expect(exit).toBe(0);
    expect(out).toMatch(/^write docs\/a\.md\n {2}as {2}lop_/);
    expect(intents()).toMatchObject([
      { type: 'session.open', task: 'retrace write' },
      { type: 'operation.apply', reason: 'first', tool: 'retrace write', operations: [{ action: 'write' }] },
      { type: 'session.complete' },
    ]);
    expect([...system.blobs.values()].map(String)).toEqual(['hello']);
  });

  it('writes in the session that is meant, as the agent that is meant', async () => {
    const world = { env: { RETRACE_SESSION: SES }, stdin: 'from stdin' };
    const { exit } = await retrace(['write', 'docs/a.md', '--as', 'writer', '--create'], world);
    expect(exit).toBe(0);
    expect(system.intents).toMatchObject([
      { principal: 'writer', workspace: 'notes', intent: { session_id: SES, operations: [{ action: 'create' }] } },
    ]);
    expect([...system.blobs.values()].map(String)).toEqual(['from stdin']);
  });

  it('applies a file of operations as one, and answers with the records', async () => {
    await writeFile(join(folder, 'local.md'), 'local');
    await writeFile(join(folder, 'ops.json'), '[{"mkdir":"d"},{"create":"d/a","file":"local.md"},{"delete":"b"}]');
    const answered = await json(['apply', 'ops.json', '--session', SES]);
    expect(answered).toMatchObject({ exit: 0, session_id: SES, operations: [{ action: 'mkdir' }, {}, {}] });
    expect(intents()).toHaveLength(1);
  });

  it('edits, makes folders and removes', async () => {
    await retrace(['edit', 'a', '--old', 'x', '--new', '', '--all', '--session', SES]);
    await retrace(['mkdir', 'd', '--mode', '750', '--session', SES]);
    await retrace(['rm', 'b', '--session', SES]);
    expect(intents()).toMatchObject([
      { operations: [{ action: 'edit', path: 'a' }] },
      { operations: [{ action: 'mkdir', path: 'd', mode: 0o750 }] },
      { operations: [{ action: 'delete', path: 'b' }] },
    ]);
    expect([...system.blobs.values()].map(String)).toEqual(['{"edits":[{"old_text":"x","new_text":"","all":true}]}']);
  });

  it('exits 1 with the rule where policy denies, and completes its session all the same', async () => {
    system.onIntent = (one) =>
      one.intent.type === 'operation.apply'
        ? system.emit(IntentDenied, one, deniedData({ intent_id: one.intent.intent_id }))
        : system.succeed(one);
    const { exit, out, err } = await retrace(['rm', 'src/a.ts', '--as', 'writer']);
    expect(exit).toBe(1);
    expect(out).toBe('');
    expect(err).toContain('no-sources (policy version 3)');
    expect(err).toContain('retrace policy explain writer overwrite src/a.ts');
    expect(intents().at(-1)).toMatchObject({ type: 'session.complete' });
  });

  it('exits 1 with both states where the file was not as expected', async () => {
    system.onIntent = (one) => system.emit(OperationFailed, one, failedData({ intent_id: one.intent.intent_id }));
    expect(await json(['rm', 'a', '--session', SES])).toMatchObject({
      exit: 1,
      error: {
        code: 'expected_mismatch',
        expected: expect.stringContaining('aaaa'),
        found: expect.stringContaining('bbbb'),
      },
    });
  });

  it('shows the log with all that is in it by now', async () => {
    const { exit, out } = await retrace(['log', '--path', 'docs/a.md', '--limit', '5', '--session', SES]);
    expect(exit).toBe(0);
    expect(out).toContain('edit docs/a.md');
    expect(requestsOf('query.log')).toEqual([{ path: 'docs/a.md', limit: 5, session_id: SES, min_sequence: 9 }]);
    expect(await json(['log'])).toMatchObject({ workspace: 'notes', entries: [{ sequence: 1042 }] });
  });

  it('does not narrow the log to the session of the environment', async () => {
    await retrace(['log'], { env: { RETRACE_SESSION: SES } });
    expect(requestsOf('query.log')).toEqual([{ limit: 100, min_sequence: 9 }]);
  });

  it('shows what stands at a line of the log', async () => {
    const detail = { ...recordOf(), sequence: 3, time: 'then', workspace: 'notes', kind: 'operation', undone_by: null };
    const line = { intent_id: newId('int'), failure: null, root: '/srv/notes' };
    answer(QueryEntry, () => ({ ...line, entry: logRow() }));
    answer(QueryOperation, () => ({ operations: [detail], total: 1 }));
    const { exit, out } = await retrace(['show', '1042']);
    expect(exit).toBe(0);
    expect(out).toContain('create docs/a.md');
    expect(requestsOf('query.operation')).toMatchObject([{ id: LOP }]);
    expect(requestsOf('query.entry')).toMatchObject([{ id: 1042 }]);
    const denied = logRow({ status: 'denied', logical_operation_id: null, code: 'no_rule', rule: 'default:deny' });
    answer(QueryEntry, () => ({ ...line, entry: denied }));
    expect((await retrace(['show', '1042'])).out).toMatch(/^operation denied\n +code +no_rule\n/);
    const failed = logRow({ status: 'failed', code: 'expected_mismatch', message: 'no' });
    answer(QueryEntry, () => ({ ...line, entry: failed, failure: failedData() }));
    expect(await json(['show', LOP])).toMatchObject({
      exit: 0,
      operations: [],
      entry: { failure: { path: 'docs/a.md' } },
    });
    expect(requestsOf('query.operation')).toHaveLength(1);
    answer(QueryOperation, () => {
      throw new RetraceError('not_found', 'no such operation');
    });
    expect(await json(['show', OP])).toMatchObject({ exit: 1, error: { code: 'not_found' } });
  });

  it('prints a file byte for byte, as it stands or as it was', async () => {
    const headers = { [RPC_HEADERS.size]: '3', [RPC_HEADERS.state]: JSON.stringify(fileState('a', 3)) };
    answer(FsRead, () => new RawReply(Buffer.from('now'), headers));
    expect(await retrace(['cat', 'a.md'])).toEqual({ exit: 0, out: 'now', err: '' });
    answer(QueryVersion, () => ({ path: 'a.md', sequence: 4, state: fileState('d', 4), operation_id: OP }));
    answer(BlobGet, () => new RawReply(Buffer.from('then'), { [RPC_HEADERS.size]: '4' }));
    expect(await json(['cat', 'a.md', '--at', '5'])).toMatchObject({ path: 'a.md', sequence: 4, content: 'then' });
    answer(QueryVersion, () => ({ path: 'a.md', sequence: 4, state: { kind: 'absent' }, operation_id: OP }));
    expect(await json(['cat', 'a.md', '--op', OP])).toMatchObject({ exit: 1, error: { code: 'not_a_file' } });
  });

  describe('undo', () => {
    const undoEnds = (change: Partial<EventData<typeof RollbackCompleted>>): void => {
      system.onIntent = (one) =>
        system.emit(RollbackCompleted, one, rollbackData({ intent_id: one.intent.intent_id, ...change }));
    };

    it('runs the plan that it showed, without asking where told so', async () => {
      const answered = await json(['undo', LOP, '--yes', '--reason', 'wrong']);
      expect(answered).toMatchObject({ exit: 0, plan: { steps: [{}, {}] }, report: { outcome: 'undone' } });
      expect(intents()).toMatchObject([{ type: 'rollback', plan_hash: planOf().plan_hash, reason: 'wrong' }]);
      expect(requestsOf('plan.make')).toEqual([{ selection: { by: 'logical_operation', logical_operation_id: LOP } }]);
    });

    it.each([
      ['undone', 0],
      ['partial', 3],
      ['nothing', 4],
      ['failed', 1],
    ] as const)('that ends %s exits %i', async (outcome, exit) => {
      undoEnds({ outcome });
      expect((await retrace(['undo', SES, '--yes'])).exit).toBe(exit);
    });

    it('changes nothing on a dry run, and exits as the undo would', async () => {
      expect((await retrace(['undo', OP, '--dry-run'])).exit).toBe(0);
      answer(PlanMake, () => planOf({ left_out: [leftOut()] }));
      const { exit, out } = await retrace(['undo', OP, '--dry-run']);
      expect(exit).toBe(3);
      expect(out).toContain('changed outside, not safe to undo');
      answer(PlanMake, () => planOf({ steps: [], left_out: [leftOut()] }));
      expect((await retrace(['undo', OP, '--yes'])).exit).toBe(4);
      expect(system.intents).toEqual([]);
    });

    it('asks on a terminal, with the plan before the question', async () => {
      const no = await retrace(['undo', '1042'], { canAsk: true, answer: false });
      expect(no).toMatchObject({ exit: 1, out: '' });
      expect(no.err).toContain('would undo 1 logical operation, 2 paths');
      expect(system.intents).toEqual([]);
      expect((await retrace(['undo', '1042'], { canAsk: true, answer: true })).exit).toBe(0);
    });

    it('exits 4 where there is nothing to take back', async () => {
      answer(PlanMake, () => {
        throw new RetraceError('nothing_selected', 'nothing was done in that session');
      });
      expect((await retrace(['undo', SES, '--yes'])).exit).toBe(4);
    });
  });

  it('asks which workspace where that is not clear', async () => {
    answer(QueryWorkspaces, () => ({ workspaces: [NOTES, { ...NOTES, name: 'app' }] }));
    const { exit, err } = await retrace(['log']);
    expect(exit).toBe(2);
    expect(err).toContain('notes, app');
    expect((await retrace(['log', '-w', 'app'])).exit).toBe(0);
    expect((await retrace(['log'], { env: { RETRACE_WORKSPACE: 'app' } })).exit).toBe(0);
    expect(asked.filter(({ call }) => call === 'query.log').map(({ workspace }) => workspace)).toEqual(['app', 'app']);
  });

  it.each([['log'], ['show', '7'], ['cat', 'a'], ['session', 'list'], ['undo', '7', '--yes']])(
    'says of a workspace that is not there that it is not: %s',
    async (...argv) => {
      expect(await json([...argv, '-w', 'typo'])).toMatchObject({
        exit: 1,
        error: { code: 'unknown_workspace', message: expect.stringContaining('notes'), next: 'retrace workspace list' },
      });
      expect(asked.map(({ call }) => call)).not.toContain('query.log');
    },
  );

  it('adds a workspace, and publishes its policy once policy knows of it', async () => {
    answer(FsAddWorkspace, ({ root }: { root: string }) => ({ root, sequence: 1 }));
    let tries = 0;
    answer(PolicyPublish, () => {
      tries += 1;
      if (tries < 3) throw new RetraceError('unknown_workspace', 'not yet');
      return { version: 1, sequence: 2 };
    });
    await writeFile(join(folder, 'mine.yaml'), 'name: mine\n');
    const answered = await json(['workspace', 'add', '.', '--name', 'notes', '--policy', 'mine.yaml']);
    expect(answered).toMatchObject({ exit: 0, name: 'notes', root: folder, policy: 'mine', policy_version: 1 });
    expect(requestsOf('policy.publish').at(-1)).toEqual({ name: 'mine', yaml: 'name: mine\n' });
    expect(requestsOf('query.workspaces')).toEqual([]);
    await retrace(['policy', 'publish', 'strict']);
    expect(requestsOf('policy.publish').at(-1)).toEqual({ name: 'strict', yaml: '' });
  });

  it('keeps the policy of a workspace that is added again, unless one is given', async () => {
    answer(FsAddWorkspace, ({ root }: { root: string }) => ({ root, sequence: 1 }));
    answer(PolicyPublish, () => ({ version: 8, sequence: 2 }));
    answer(QueryWorkspaces, () => ({ workspaces: [{ ...NOTES, policy: 'mine', policy_version: 7 }] }));
    const { exit, out } = await retrace(['workspace', 'add', '.', '--name', 'notes']);
    expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining('keeps policy mine (version 7)') });
    expect(requestsOf('policy.publish')).toEqual([]);
    await retrace(['workspace', 'add', '.', '--name', 'notes', '--policy', 'team']);
    expect(requestsOf('policy.publish')).toEqual([{ name: 'team', yaml: '' }]);
  });

  it.each([
    ['nobody knows yet', []],
    ['never got one', [{ ...NOTES, policy: null, policy_version: 0 }]],
  ])('gives a workspace that %s the policy team', async (_, workspaces) => {
    answer(FsAddWorkspace, ({ root }: { root: string }) => ({ root, sequence: 1 }));
    answer(PolicyPublish, () => ({ version: 1, sequence: 2 }));
    answer(QueryWorkspaces, () => ({ workspaces }));
    const answered = await json(['workspace', 'add', '.', '--name', 'notes']);
    expect(answered).toMatchObject({ exit: 0, policy: 'team', policy_version: 1, policy_kept: false });
    expect(requestsOf('policy.publish')).toEqual([{ name: 'team', yaml: '' }]);
  });

  it('adds an agent that can act at once', async () => {
    answer(PolicyAddMember, () => ({ sequence: 3 }));
    const { exit, out } = await retrace(['agent', 'add', 'reviewer', '--workspace', 'notes']);
    expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining('agent reviewer may act in notes') });
    expect((await stat(system.credentialsFile('reviewer'))).mode & 0o777).toBe(0o600);
    expect(requestsOf('policy.add_member')).toEqual([{ member: 'reviewer' }]);
    expect((await retrace(['mkdir', 'd', '--as', 'reviewer', '-w', 'notes'])).exit).toBe(0);
    expect(await json(['agent', 'list'])).toMatchObject({
      agents: [{ principal: '_op-local' }, { principal: 'reviewer', workspaces: ['notes'] }, { principal: 'writer' }],
    });
  });

  it('tells of an agent that nobody added', async () => {
    expect(await json(['log', '--as', 'stranger'])).toMatchObject({
      exit: 1,
      error: { code: 'credentials_invalid', next: expect.stringContaining('retrace agent add') },
    });
  });

  it('explains what policy would answer', async () => {
    const explanation = {
      allowed: false,
      rule: 'no-sources',
      code: 'rule_denies',
      message: 'no',
      policy_version: 1,
      canonical: 'src/a.ts',
      tried: [{ rule: 'no-sources', matched: true, why: 'src/** is denied' }],
    };
    answer(PolicyExplain, () => explanation);
    const { exit, out } = await retrace(['policy', 'explain', 'writer', 'overwrite', './src/a.ts']);
    expect(exit).toBe(1);
    expect(out).toContain('denied src/a.ts by rule no-sources');
  });

  it('opens a session and prints its id alone', async () => {
    const { exit, out } = await retrace(['session', 'open', 'tidy', '--model', 'm@1', '--as', 'writer']);
    expect(exit).toBe(0);
    expect(out).toMatch(/^ses_[0-9a-f-]{36}\n$/);
    expect(intents()).toMatchObject([{ task: 'tidy', model: { id: 'm', version: '1' } }]);
    expect((await retrace(['session', 'complete', out.trim()])).exit).toBe(0);
  });

  it('shows services, read models and workspaces', async () => {
    const { exit, out } = await retrace(['status']);
    expect(exit).toBe(0);
    expect(out).toMatch(/policy +ready/);
    expect(out).toContain('9 events, 0 not folded yet');
    expect(await json(['status'])).toMatchObject({
      services: [{ state: 'ready' }, {}, {}, {}, {}],
      workspaces: [NOTES],
    });
  });
});
