import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failedData, fileState, rollbackData } from '@retrace/client/testing';
import { FsStat, LogicalOperationOpened, OperationFailed, RollbackCompleted } from '@retrace/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CliOnFake } from './testing/cli-on-fake.js';
import { LOP, SES } from './testing/samples.js';

describe('changing files from the command line', () => {
  let cli: CliOnFake;
  beforeAll(async () => {
    cli = await CliOnFake.start();
  }, 120_000);
  afterAll(() => cli.stop());
  beforeEach(() => cli.reset());

  const operationsOf = async (...argv: string[]): Promise<unknown> => {
    const { exit, err } = await cli.retrace([...argv, '--session', SES]);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const [intent] = cli.intents();
    return intent && 'operations' in intent ? intent.operations : undefined;
  };
  const standing = (state: unknown, canonical = 'a.md'): void =>
    cli.answer(FsStat, () => ({ canonical, state, modified_at: null, recorded: null }));

  it.each([
    [['mv', 'a', 'b'], { action: 'move', path: 'a', to: 'b' }],
    [['mv', 'a', 'b', '--overwrite'], { action: 'move', path: 'a', to: 'b', overwrite: true }],
    [['cp', 'a', 'b'], { action: 'copy', path: 'a', to: 'b' }],
    [['cp', '-r', 'a', 'b', '--overwrite'], { action: 'copy', path: 'a', to: 'b', recursive: true, overwrite: true }],
    [['rm', '-r', 'd'], { action: 'delete', path: 'd', recursive: true }],
    [['rmdir', 'd'], { action: 'rmdir', path: 'd' }],
    [['mkdir', '-p', 'd/e', '--mode', '750'], { action: 'mkdir', path: 'd/e', parents: true, mode: 0o750 }],
    [['ln', '../x', 'd/l'], { action: 'symlink', path: 'd/l', target: '../x' }],
    [['chmod', '644', 'a'], { action: 'chmod', path: 'a', mode: 0o644 }],
  ] as [string[], object][])('sends %j as one operation', async (argv, operation) => {
    expect(await operationsOf(...argv)).toEqual([{ operation_id: expect.any(String), ...operation }]);
  });

  it('appends what it is given, as it is', async () => {
    expect(await operationsOf('append', 'log.md', '--content', 'one more\n')).toMatchObject([
      { action: 'append', path: 'log.md', size: 9 },
    ]);
    expect([...cli.system.blobs.values()].map(String)).toEqual(['one more\n']);
  });

  it.each([
    ['+x', 0o755],
    ['-x', 0o644],
    ['go-r,u+x', 0o700],
  ])('changes the mode that stands there by %s', async (change, mode) => {
    standing({ ...fileState('a'), mode: change === '-x' ? 0o755 : 0o644 });
    expect(await operationsOf('chmod', change, 'a.md')).toMatchObject([{ action: 'chmod', mode }]);
  });

  it('records why, for which ticket and what the user asked for', async () => {
    await operationsOf('rm', 'a', '--reason', 'old', '--ticket', 'T-1', '--user-intent', 'clean up');
    expect(cli.intents()).toMatchObject([
      { reason: 'old', tool: 'retrace rm', provenance: { ticket: 'T-1', user_intent: 'clean up' } },
    ]);
  });

  describe('with --expect', () => {
    it('present sends what stands there now, and nothing is sent where nothing does', async () => {
      standing(fileState('b', 7));
      expect(await operationsOf('write', 'a.md', '--content', 'x', '--expect', 'present')).toMatchObject([
        { expected: fileState('b', 7) },
      ]);
      expect(cli.requestsOf('fs.stat')).toEqual([{ path: 'a.md', follow: true }]);
      standing({ kind: 'absent' });
      cli.system.intents.length = 0;
      const answered = await cli.json(['rm', 'a.md', '--expect', 'present', '--session', SES]);
      expect(answered).toMatchObject({ exit: 1, error: { code: 'expected_mismatch' } });
      expect(cli.intents()).toEqual([]);
    });

    it('absent asks nobody', async () => {
      expect(await operationsOf('mkdir', 'd', '--expect', 'absent')).toMatchObject([{ expected: { kind: 'absent' } }]);
      expect(cli.requestsOf('fs.stat')).toEqual([]);
    });

    it('a hash, or its beginning, must be that of what stands there', async () => {
      standing(fileState('c', 7));
      expect(await operationsOf('rm', 'a.md', '--expect', 'c'.repeat(12))).toMatchObject([
        { expected: fileState('c', 7) },
      ]);
      expect(cli.requestsOf('fs.stat')).toEqual([{ path: 'a.md', follow: false }]);
      const other = await cli.json(['rm', 'a.md', '--expect', 'd'.repeat(64), '--session', SES]);
      expect(other).toMatchObject({
        exit: 1,
        error: { code: 'expected_mismatch', message: expect.stringMatching(/expected file d{12}, found file c{12}/) },
      });
    });
  });

  it('says what to do where a file was changed outside', async () => {
    cli.system.onIntent = (one) =>
      cli.system.emit(OperationFailed, one, failedData({ intent_id: one.intent.intent_id, code: 'changed_outside' }));
    expect(await cli.json(['rm', 'a', '--session', SES])).toMatchObject({
      exit: 1,
      error: { code: 'changed_outside', next: expect.stringContaining('--expect present') },
    });
  });

  it('applies every verb of a document as one', async () => {
    const verbs = [
      { append: 'a', content: 'x' },
      { chmod: 'b', mode: '755' },
      { symlink: 'c', target: 'd' },
      { move: 'e', to: 'f' },
      { copy: 'g', to: 'h', recursive: true },
      { rmdir: 'i' },
      { mkdir: 'j/k', parents: true },
      { delete: 'l', recursive: true },
    ];
    await writeFile(join(cli.folder, 'verbs.json'), JSON.stringify(verbs));
    expect(await operationsOf('apply', 'verbs.json')).toMatchObject([
      { action: 'append', path: 'a' },
      { action: 'chmod', mode: 0o755 },
      { action: 'symlink', target: 'd' },
      { action: 'move', to: 'f' },
      { action: 'copy', recursive: true },
      { action: 'rmdir' },
      { action: 'mkdir', parents: true },
      { action: 'delete', recursive: true },
    ]);
  });

  describe('in a logical operation that several commands fill', () => {
    it('begins it and prints its id alone', async () => {
      cli.system.onIntent = ({ intent, sequence, ...asked }) => {
        if (intent.type !== 'operation.open') return Promise.resolve();
        const { intent_id, session_id, logical_operation_id, timeout_ms = 0 } = intent;
        const data = { intent_id, in_sequence: sequence, attempt: 1, session_id, logical_operation_id };
        return cli.system.emit(LogicalOperationOpened, { ...asked, intent }, { ...data, reason: null, timeout_ms });
      };
      const { exit, out } = await cli.retrace(['begin', '--timeout', '60', '--session', SES, '--reason', 'rename']);
      expect(exit).toBe(0);
      expect(out).toMatch(/^lop_[0-9a-f-]{36}\n$/);
      expect(cli.intents()).toMatchObject([
        { type: 'operation.open', logical_operation_id: out.trim(), timeout_ms: 60_000, reason: 'rename' },
      ]);
    });

    it('fills it with what --lop names', async () => {
      await operationsOf('rm', 'a', '--lop', LOP);
      expect(cli.intents()).toMatchObject([{ type: 'operation.apply', logical_operation_id: LOP }]);
    });

    it.each([[['rm', 'a', '--lop', LOP]], [['begin']], [['commit', LOP]], [['abort', LOP]]])(
      'wants to know the session: %j',
      async (argv) => {
        const { exit, err } = await cli.retrace(argv);
        expect(exit).toBe(2);
        expect(err).toMatch(/belongs to\s+a\s+session/);
        expect(cli.intents()).toEqual([]);
      },
    );

    it.each([
      ['undone', 0],
      ['nothing', 0],
      ['partial', 3],
      ['failed', 1],
    ] as const)('an abort that ends %s exits %i', async (outcome, exit) => {
      cli.system.onIntent = (one) =>
        cli.system.emit(RollbackCompleted, one, rollbackData({ intent_id: one.intent.intent_id, outcome }));
      expect(await cli.json(['abort', LOP, '--session', SES])).toMatchObject({ exit, report: { outcome } });
      expect(cli.intents()).toMatchObject([{ type: 'operation.abort', logical_operation_id: LOP }]);
    });
  });
});
