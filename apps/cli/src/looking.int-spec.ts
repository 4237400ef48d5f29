import { setTimeout as sleep } from 'node:timers/promises';
import { fileState, recordOf } from '@retrace/client/testing';
import {
  ABSENT,
  BlobCheck,
  BlobGet,
  FsBaseline,
  FsAddWorkspace,
  FsCheck,
  FsList,
  FsRead,
  FsStat,
  type PathState,
  PolicyPublish,
  QueryHistory,
  QueryLog,
  QueryOperation,
  QueryRebuild,
  QueryStatus,
  QueryVersion,
  QueryWorkspaces,
  RetraceError,
  RPC_HEADERS,
} from '@retrace/contracts';
import { RawReply } from '@retrace/messaging';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CliOnFake, NOTES } from './testing/cli-on-fake.js';
import { LOP, logRow, OP, SES } from './testing/samples.js';

describe('looking, from the command line', () => {
  let cli: CliOnFake;
  beforeAll(async () => {
    cli = await CliOnFake.start();
  }, 120_000);
  afterAll(() => cli.stop());
  beforeEach(() => cli.reset());

  const recorded = (state: PathState, operation_id: string | null = OP) => ({
    state,
    sequence: 1042,
    operation_id,
    session_id: null,
    agent: operation_id === null ? '_' : 'writer',
  });
  const stat = (state: PathState, record: unknown): void =>
    cli.answer(FsStat, () => ({ canonical: 'docs/a.md', state, modified_at: null, recorded: record }));
  const blobs = (texts: Record<string, string | Buffer>): void =>
    cli.answer(BlobGet, ({ hash }: { hash: string }) => {
      const bytes = Buffer.from(texts[hash[0]!]!);
      return new RawReply(bytes, { [RPC_HEADERS.size]: String(bytes.length) });
    });
  const detail = (change: object = {}) => ({
    ...recordOf(),
    sequence: 1042,
    time: '2025-01-15T14:30:22.000Z',
    workspace: 'notes',
    kind: 'operation',
    undone_by: null,
    ...change,
  });

  describe('log', () => {
    it('narrows by all that is given', async () => {
      const given = [
        '--glob',
        'src/**',
        '--action',
        'move',
        '--status',
        'failed',
        '--kind',
        'rollback',
        '--after',
        '5',
      ];
      await cli.retrace(['log', ...given, '--since', '2025-01-15', '--until', '2025-01-16T00:00:00+01:00']);
      expect(cli.requestsOf('query.log')).toMatchObject([
        {
          glob: 'src/**',
          action: 'move',
          status: 'failed',
          kind: 'rollback',
          after_sequence: 5,
          since: '2025-01-15T00:00:00.000Z',
          until: '2025-01-15T23:00:00.000Z',
        },
      ]);
    });

    it('says where it goes on', async () => {
      cli.answer(QueryLog, () => ({ entries: [logRow()], cursor: 1050, more: true }));
      expect((await cli.retrace(['log'])).out).toContain('more: retrace log --before 1042');
      expect((await cli.retrace(['log', '--after', '3'])).out).toContain('more: retrace log --after 1050');
      expect(await cli.json(['log'])).toMatchObject({ cursor: 1050, more: true });
    });

    it.each([[['--status', 'lost']], [['--action', 'fly']], [['--since', 'soon']], [['--follow', '--before', '7']]])(
      'refuses %j',
      async (argv) => {
        expect((await cli.retrace(['log', ...argv])).exit).toBe(2);
      },
    );

    const follow = async (...argv: string[]) => {
      const interrupt = new AbortController();
      let answers = 0;
      cli.answer(QueryLog, async ({ after_sequence }: { after_sequence?: number }) => {
        if (after_sequence === undefined) return { entries: [logRow()], cursor: 1042, more: false };
        answers += 1;
        if (answers === 2) interrupt.abort();
        if (answers > 1) await sleep(20);
        const entry = logRow({ sequence: 1043, reason: 'new' });
        return answers === 1
          ? { entries: [entry], cursor: 1043, more: false }
          : { entries: [], cursor: 1043, more: false };
      });
      return cli.retrace(['log', '--follow', ...argv], { interrupted: interrupt.signal });
    };

    it('is followed until it is interrupted, and that is a good end', async () => {
      const { exit, out, err } = await follow();
      expect({ exit, err }).toEqual({ exit: 0, err: '' });
      expect(out.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^ +SEQ/),
        expect.stringContaining('1042'),
        expect.stringMatching(/1043 .* new$/),
      ]);
    });

    it('is followed as lines of JSON', async () => {
      const { exit, out } = await follow('--json');
      expect(exit).toBe(0);
      const lines = out.trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence)).toEqual([1042, 1043]);
    });
  });

  describe('why', () => {
    const changes = [
      {
        ...detail({ reason: 'typo', session_id: SES, model: { id: 'm', version: '1' } }),
        provenance: { user_intent: 'fix the docs', ticket: 'T-7' },
        task: 'tidy the notes',
        conversation_id: 'c-1',
      },
      { ...detail({ sequence: 7, action: 'move', moved_from: 'a.md' }), task: 'sort', conversation_id: null },
    ];
    beforeEach(() => cli.answer(QueryHistory, () => ({ changes, more: false })));

    it('says who wrote what stands there, why and by which rule, and what was before', async () => {
      stat(fileState('a'), recorded(fileState('a')));
      const { exit, out } = await cli.retrace(['why', 'docs/a.md']);
      expect(exit).toBe(0);
      for (const part of ['as it was left at 1042', 'tidy the notes', 'typo', 'm 1', 'fix the docs', 'T-7', SES])
        expect(out).toContain(part);
      expect(out).toContain('rule notes, policy version 1');
      expect(out).toMatch(/7 .* writer +move a\.md → docs\/a\.md +sort/);
    });

    it('says that it was changed outside', async () => {
      stat(fileState('c', 9), recorded(fileState('a')));
      const { out } = await cli.retrace(['why', 'docs/a.md']);
      expect(out.replaceAll(/\s+/g, ' ')).toContain('changed outside: at 1042 it was left as file aaaaaaaaaaaa');
    });

    it('knows what stood there from the beginning, and what never was', async () => {
      cli.answer(QueryHistory, () => ({ changes: [], more: false }));
      stat(fileState('a'), recorded(fileState('a'), null));
      expect((await cli.retrace(['why', 'docs/a.md'])).exit).toBe(0);
      stat(ABSENT, null);
      expect(await cli.json(['why', 'docs/a.md'])).toMatchObject({ exit: 1, error: { code: 'not_found' } });
    });
  });

  describe('diff', () => {
    it('compares what was recorded last with what stands there', async () => {
      stat(fileState('b', 8), recorded(fileState('a', 4)));
      blobs({ a: 'one\n' });
      const headers = { [RPC_HEADERS.size]: '8', [RPC_HEADERS.state]: JSON.stringify(fileState('b', 8)) };
      cli.answer(FsRead, () => new RawReply(Buffer.from('one\ntwo\n'), headers));
      const { exit, out } = await cli.retrace(['diff', 'docs/a.md']);
      expect(exit).toBe(0);
      expect(out).toBe('diff docs/a.md\n--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1,1 +1,2 @@\n one\n+two\n');
    });

    it('compares two recorded versions', async () => {
      stat(fileState('b'), null);
      blobs({ a: 'one\n', c: 'three\n' });
      cli.answer(QueryVersion, ({ at_sequence }: { at_sequence: number }) => ({
        path: 'docs/a.md',
        sequence: at_sequence,
        state: fileState(at_sequence === 5 ? 'a' : 'c', 4),
        operation_id: OP,
      }));
      const answered = await cli.json(['diff', 'docs/a.md', '--from', '5', '--to', '#8']);
      expect(answered).toMatchObject({
        exit: 0,
        compared: 'docs/a.md: as recorded at 5 → as recorded at 8',
        files: [{ path: 'docs/a.md', binary: false, diff: expect.stringContaining('-one\n+three\n') }],
      });
    });

    it('says that there is no difference', async () => {
      stat(fileState('a'), recorded(fileState('a')));
      expect((await cli.retrace(['diff', 'docs/a.md'])).out).toMatch(/^no difference/);
    });

    it('shows all that an operation changed: texts, bytes, modes, moves', async () => {
      blobs({ a: 'one\n', b: 'two\n', d: Buffer.from([0, 1]), e: Buffer.from([0, 2, 3]) });
      const of = (path: string, before: PathState, after: PathState, change: object = {}) =>
        detail({
          path: { typed: path, canonical: path },
          state_snapshot_before: { state: before, sequence: null },
          state_snapshot_after: { state: after, sequence: 'self' },
          ...change,
        });
      const operations = [
        of('new.md', ABSENT, fileState('a', 4)),
        of('new.md', fileState('a', 4), fileState('b', 4)),
        of('logo.png', fileState('d', 2), fileState('e', 3)),
        of('run.sh', fileState('a', 4), { ...fileState('a', 4), mode: 0o755 } as PathState),
        of('to.md', ABSENT, fileState('a', 4), { moved_from: 'from.md' }),
        of('from.md', fileState('a', 4), ABSENT, { moved_to: 'to.md' }),
        of('d', ABSENT, { kind: 'directory', mode: 0o755 }),
      ];
      cli.answer(QueryOperation, () => ({ operations, total: operations.length }));
      const { exit, out } = await cli.retrace(['diff', LOP]);
      expect(exit).toBe(0);
      expect(out).toContain('--- /dev/null\n+++ b/new.md\n@@ -0,0 +1,1 @@\n+two\n');
      expect(out).toContain('diff logo.png\nbinary: 2 → 3 bytes');
      expect(out).toContain('diff run.sh\nmode 0644 → 0755');
      expect(out).toContain('diff to.md\nmoved from from.md');
      expect(out).toContain('diff from.md\nmoved to to.md');
      expect(out).toContain('diff d\nnew directory (mode 0755)');
    });

    it('lets no text of a file command the terminal, and changes none that goes into a file', async () => {
      stat(fileState('b', 5), recorded(fileState('a', 4)));
      blobs({ a: 'one\n' });
      const headers = { [RPC_HEADERS.size]: '5', [RPC_HEADERS.state]: JSON.stringify(fileState('b', 5)) };
      cli.answer(FsRead, () => new RawReply(Buffer.from('\t\u001b[2J'), headers));
      const onTerminal = await cli.retrace(['diff', 'docs/a.md'], { stdoutIsTty: true, env: { NO_COLOR: '1' } });
      expect(onTerminal.out).toContain('+\t\\u{1b}[2J');
      expect((await cli.retrace(['diff', 'docs/a.md'])).out).toContain('+\t\u001b[2J');
    });
  });

  it('lists a folder, and says what stands at a path', async () => {
    const entry = { kind: 'file', size: 7, mode: 0o644, modified_at: '2025-01-15T14:30:22.000Z', target: null };
    cli.answer(FsList, ({ after }: { after?: string }) =>
      after === undefined
        ? { entries: [{ ...entry, name: 'a.md' }], next: 'a.md' }
        : { entries: [{ ...entry, name: 'd', kind: 'directory' }], next: null },
    );
    const { out } = await cli.retrace(['ls']);
    expect(out).toMatch(/0644 +7 +2025-01-15 14:30:22 +a\.md\n0644 +folder +.* +d\/\n/);
    expect(await cli.json(['ls', 'docs'])).toMatchObject({ path: 'docs', entries: [{ name: 'a.md' }, { name: 'd' }] });
    stat(fileState('c'), recorded(fileState('a')));
    const told = (await cli.retrace(['stat', 'docs/a.md', '--no-follow'])).out;
    expect(told).toContain('c'.repeat(64));
    expect(told.replaceAll(/\s+/g, ' ')).toContain('changed outside');
    expect(cli.requestsOf('fs.stat')).toEqual([{ path: 'docs/a.md', follow: false }]);
  });

  it('waits for a rebuild to its end, or not at all', async () => {
    const at = (status: string, sequence: number) => ({ status, sequence, last_sequence: 9, message: null });
    const rebuilds = [at('running', 4), at('done', 9)];
    cli.answer(QueryRebuild, () => ({ started: true }));
    cli.answer(QueryStatus, () => ({
      sequence: 9,
      last_sequence: 9,
      lag: 0,
      rejected: 0,
      rebuild: rebuilds.shift() ?? at('failed', 4),
    }));
    expect(await cli.json(['rebuild'])).toMatchObject({ exit: 0, rebuild: { status: 'done', sequence: 9 } });
    expect(await cli.json(['rebuild'])).toMatchObject({ exit: 1, error: { code: 'rebuild_failed' } });
    expect(await cli.json(['rebuild', '--no-wait'])).toMatchObject({ exit: 0, started: true, rebuild: null });
  });

  it('waits until what stands in a new workspace is on record', async () => {
    const at = (status: string) => ({
      status,
      files: 2,
      bytes: 20,
      found: 3,
      message: status === 'failed' ? 'io' : null,
    });
    const seen = ['running', 'done'];
    cli.answer(FsAddWorkspace, ({ root }: { root: string }) => ({ root, sequence: 1 }));
    cli.answer(PolicyPublish, () => ({ version: 1, sequence: 2 }));
    cli.answer(FsBaseline, () => at(seen.shift() ?? 'failed'));
    const added = await cli.retrace(['workspace', 'add', '.', '--name', 'notes']);
    expect(added).toMatchObject({ exit: 0, out: expect.stringContaining('2 files, 20 bytes') });
    expect(await cli.json(['workspace', 'add', '.', '--name', 'notes'])).toMatchObject({
      exit: 3,
      baseline: { status: 'failed', message: 'io' },
    });
    cli.answer(FsBaseline, () => at('running'));
    expect((await cli.retrace(['workspace', 'add', '.', '--name', 'notes', '--no-wait'])).exit).toBe(0);
  });

  it('shows baselines and what they left out', async () => {
    const baseline = {
      sequence: 5,
      manifest_hash: 'a'.repeat(64),
      files: 12,
      bytes: 3400,
      ignored_rules: ['.gitignore', 'docs/.gitignore'],
      ignored_entries: 4,
      skipped: 1,
    };
    cli.answer(QueryWorkspaces, () => ({ workspaces: [{ ...NOTES, baseline }] }));
    for (const command of [['workspace', 'list'], ['status']]) {
      const out = (await cli.retrace(command)).out.replaceAll(/\s+/g, ' ');
      expect(out).toContain('baseline of notes: 12 files, 3400 bytes, at 5; 4 entries left out by .gitignore');
      expect(out).toContain('1 could not be stored');
    }
  });

  describe('doctor', () => {
    const check = (name: string, status: string, remedy: string | null = null) => ({
      check: name,
      status,
      found: `${name} looked at`,
      remedy,
    });
    beforeEach(() => {
      cli.answer(FsCheck, () => ({ checks: [check('permission', 'ok'), check('disk', 'warning', 'make room')] }));
      cli.answer(BlobCheck, () => ({ checks: [check('disk', 'ok')] }));
    });

    it('looks at everything in order, and warnings are no failure', async () => {
      const { exit, out } = await cli.retrace(['doctor']);
      const areas = out
        .split('\n')
        .map((line) => /^(?:ok|warning|failed) +(\w+)/.exec(line)?.[1])
        .filter((area) => area !== undefined);
      const order = ['permission', 'path', 'disk', 'locks', 'bus', 'blobs'];
      expect([...new Set(areas)]).toEqual(order);
      expect(out).toMatch(/warning +disk +notes: disk looked at\n +→ make room/);
      expect(exit).toBe(0);
    });

    it('exits 1 where something failed, and says of what cannot be looked at that it cannot', async () => {
      cli.answer(BlobCheck, () => {
        throw new RetraceError('blob_store_unusable', 'the store is closed');
      });
      const answered = await cli.json(['doctor']);
      expect(answered).toMatchObject({
        exit: 1,
        checks: expect.arrayContaining([
          {
            area: 'blobs',
            where: 'blobs',
            check: 'blobs',
            status: 'failed',
            found: 'the store is closed',
            remedy: expect.any(String),
          },
        ]),
      });
    });
  });
});
