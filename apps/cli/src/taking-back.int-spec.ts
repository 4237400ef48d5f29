import { fileState, recordOf } from '@retrace/client/testing';
import {
  type OperationId,
  PlanDiff,
  PlanGet,
  PlanMake,
  PlanSteps,
  QueryEntry,
  QueryLog,
  QueryOperation,
  QuerySessions,
  RetraceError,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CliOnFake } from './testing/cli-on-fake.js';
import { LOP, logRow, OP, planOf, SES, stepOf } from './testing/samples.js';

describe('undo and redo from the command line', () => {
  let cli: CliOnFake;
  beforeAll(async () => {
    cli = await CliOnFake.start();
  }, 120_000);
  afterAll(() => cli.stop());
  beforeEach(() => {
    cli.reset();
    cli.answer(PlanMake, () => planOf());
    cli.answer(PlanDiff, ({ path }: { path: string }) => ({
      path,
      diff: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-new\n+old\n`,
      binary: false,
      truncated: false,
    }));
    cli.answer(QuerySessions, () => ({ sessions: [sessionRow(), sessionRow({ operations: 0, opened_at: '2026' })] }));
  });

  const sessionRow = (change: object = {}) => ({
    session_id: SES,
    agent: 'writer',
    status: 'completed',
    task: 't',
    conversation_id: null,
    model: null,
    opened_at: '2025-01-15T14:30:22.000Z',
    completed_at: null,
    operations: 2,
    ...change,
  });
  const planned = async (...argv: string[]): Promise<unknown> => {
    await cli.retrace(['undo', ...argv, '--dry-run', '--no-diff']);
    return cli.requestsOf('plan.make')[0];
  };

  it.each([
    [['--session', SES], { by: 'session', session_id: SES }],
    [['--step', '2'], { by: 'step', session_id: SES, step: 2 }],
    [['--agent', 'writer'], { by: 'agent', agent: 'writer' }],
    [['--agent', 'writer', '--session', SES], { by: 'agent', agent: 'writer', session_id: SES }],
    [['--path', 'src/**'], { by: 'glob', glob: 'src/**' }],
    [['--file', './a[1].md'], { by: 'path', path: 'a[1].md' }],
    [['--file', 'd', '--below', '--since', '7'], { by: 'path', path: 'd', below: true, since_sequence: 7 }],
    [['--created'], { by: 'created', session_id: SES }],
    [['--created', '--path', 'b/**'], { by: 'created', session_id: SES, glob: 'b/**' }],
    [['--since', '#1042'], { by: 'since', since_sequence: 1042 }],
    [['--since', '2025-01-15 14:30'], { by: 'since', since_time: '2025-01-15T14:30:00.000Z' }],
    [['--since', '2025-01-15'], { by: 'since', since_time: '2025-01-15T00:00:00.000Z' }],
    [[OP], { by: 'operation', operation_id: OP }],
  ] as [string[], object][])('takes %j for the selection', async (argv, selection) => {
    expect(await planned(...argv)).toEqual({ selection });
  });

  it('means the session of the environment where one is needed, and narrows by it nowhere', async () => {
    const env = { RETRACE_SESSION: `${SES.slice(0, -1)}9` };
    await cli.retrace(['undo', '--step', '1', '--dry-run', '--no-diff'], { env });
    await cli.retrace(['undo', '--path', '*', '--dry-run', '--no-diff'], { env });
    expect(cli.requestsOf('plan.make')).toEqual([
      { selection: { by: 'step', session_id: env.RETRACE_SESSION, step: 1 } },
      { selection: { by: 'glob', glob: '*' } },
    ]);
  });

  it('passes on what stays, and what to do where something stands in the way', async () => {
    const flags = ['--except', OP, '--except', '1042', '--except-path', 'docs/**', '--merge', '--all-or-none'];
    expect(await planned('--session', SES, ...flags)).toEqual({
      selection: { by: 'session', session_id: SES },
      except: [
        { by: 'operation', operation_id: OP },
        { by: 'logical_operation', logical_operation_id: LOP },
        { by: 'glob', glob: 'docs/**' },
      ],
      options: { merge: true, force: false, skip: false, all_or_none: true },
    });
  });

  it.each([
    [[], /undo what/],
    [['7', '--path', 'a'], /an id says it all/],
    [['7', '--session', SES], /an id says it all/],
    [['--path', 'a', '--file', 'b'], /not both/],
    [['--path', 'a', '--below'], /--below belongs/],
    [['--step', '1', '--path', 'a'], /--step goes/],
    [['--created', '--since', '7'], /--created goes/],
    [['--file', '../a'], /\.\./],
    [['--since', 'yesterday'], /2h/],
    [['--plan', 'abc'], /64 hex digits/],
    [['--plan', 'a'.repeat(64), '--merge'], /a plan says it all/],
  ] as [string[], RegExp][])('refuses %j', async (argv, why) => {
    const { exit, err } = await cli.retrace(['undo', ...argv, '--dry-run']);
    expect(exit).toBe(2);
    expect(err.replaceAll(/\s+/g, ' ')).toMatch(why);
    expect(cli.requestsOf('plan.make')).toEqual([]);
  });

  it('previews with the diffs and the hash, and runs the previewed plan', async () => {
    const { exit, out } = await cli.retrace(['undo', LOP, '--dry-run']);
    expect(exit).toBe(0);
    expect(out).toContain('-new\n+old\n');
    expect(out).toContain(`plan ${'0'.repeat(64)}`);
    cli.answer(PlanGet, () => planOf());
    const ran = await cli.json(['undo', '--plan', '0'.repeat(64), '--yes']);
    expect(ran).toMatchObject({ exit: 0, report: { outcome: 'undone' } });
    expect(cli.intents()).toMatchObject([{ type: 'rollback', plan_hash: '0'.repeat(64) }]);
    expect(cli.requestsOf('plan.make')).toHaveLength(1);
  });

  it('shows a plan whose diff cannot be made', async () => {
    cli.answer(PlanDiff, () => {
      throw new RetraceError('blob_absent', 'gone');
    });
    const { exit, out } = await cli.retrace(['undo', LOP, '--dry-run']);
    expect(exit).toBe(0);
    expect(out).toContain('no diff of docs/a.md: gone');
  });

  it('says of a diff that was cut that it was', async () => {
    cli.answer(PlanDiff, ({ path }: { path: string }) => ({
      path,
      diff: path === 'docs/a.md' ? '-x\n' : '',
      binary: false,
      truncated: true,
    }));
    const { out } = await cli.retrace(['undo', LOP, '--dry-run']);
    expect(out).toContain('-x\n… the diff of docs/a.md is longer');
    expect(out).toContain('no diff of docs/old.md: it is too large');
  });

  it('reads all steps of a large plan for JSON, and draws the first of them', async () => {
    const steps = Array.from({ length: 250 }, (_, i) => stepOf(`f${i}`, fileState('a'), { kind: 'absent' }));
    cli.answer(PlanMake, () => planOf({ steps: steps.slice(0, 240), step_count: 250 }));
    cli.answer(PlanSteps, ({ from }: { from: number }) => ({ steps: steps.slice(from) }));
    const { out } = await cli.retrace(['undo', LOP, '--dry-run', '--no-diff']);
    expect(out).toContain('… and 50 paths more');
    const { plan } = (await cli.json(['undo', LOP, '--dry-run', '--no-diff'])) as unknown as { plan: { steps: [] } };
    expect(plan.steps).toHaveLength(250);
  });

  describe('redo', () => {
    const UNDO = newId('lop');
    const REDO = newId('lop');
    const record = (kind: string, compensates: string[] = []) => ({
      operations: [
        {
          ...recordOf({ compensates: compensates as OperationId[] }),
          sequence: 3,
          time: '2025-01-15T14:30:22.000Z',
          workspace: 'notes',
          kind,
          undone_by: null,
        },
      ],
      total: 1,
    });

    it('takes the newest undo that is not redone, and never a redo', async () => {
      const [undone, redone] = [newId('op'), newId('op')];
      const rows = [UNDO, REDO].map((logical_operation_id, i) =>
        logRow({ sequence: 5 + i, kind: 'rollback', logical_operation_id }),
      );
      cli.answer(QueryLog, () => ({ entries: rows, cursor: 6, more: false }));
      cli.answer(QueryOperation, ({ id }: { id: string }) => {
        if (id === REDO) return record('rollback', [redone]);
        if (id === UNDO) return record('rollback', [undone]);
        return id === redone ? record('rollback', [undone]) : record('operation');
      });
      const { exit } = await cli.retrace(['redo', '--yes', '--reason', 'right after all']);
      expect(exit).toBe(0);
      expect(cli.requestsOf('query.log')).toMatchObject([{ kind: 'rollback', status: 'applied' }]);
      expect(cli.requestsOf('plan.make')).toEqual([
        { selection: { by: 'logical_operation', logical_operation_id: UNDO } },
      ]);
    });

    it('goes on to no earlier undo where the newest is redone: that may be about something else', async () => {
      const rows = [newId('lop'), UNDO].map((logical_operation_id, i) =>
        logRow({ sequence: 5 + i, kind: 'rollback', logical_operation_id, undone_by: i === 1 ? REDO : null }),
      );
      cli.answer(QueryLog, () => ({ entries: rows, cursor: 6, more: false }));
      cli.answer(QueryOperation, ({ id }: { id: string }) =>
        id.startsWith('lop_') ? record('rollback', [newId('op')]) : record('operation'),
      );
      expect(await cli.json(['redo', '--yes'])).toMatchObject({
        exit: 4,
        error: { code: 'nothing_to_undo', message: expect.stringContaining('name an earlier one') },
      });
    });

    it('exits 4 where nothing was undone', async () => {
      cli.answer(QueryLog, () => ({ entries: [], cursor: 9, more: false }));
      expect(await cli.json(['redo', '--yes'])).toMatchObject({ exit: 4, error: { code: 'nothing_to_undo' } });
    });

    it('refuses what is no undo, and says what takes it back', async () => {
      const entry = { intent_id: newId('int'), failure: null, root: null, entry: logRow() };
      cli.answer(QueryEntry, () => entry);
      expect(await cli.json(['redo', LOP, '--yes'])).toMatchObject({
        exit: 1,
        error: { code: 'not_an_undo', next: `retrace undo ${LOP} takes it back` },
      });
    });

    it('shows the plan and asks', async () => {
      cli.answer(QueryEntry, () => ({
        intent_id: newId('int'),
        failure: null,
        root: null,
        entry: logRow({ kind: 'rollback' }),
      }));
      const no = await cli.retrace(['redo', LOP], { canAsk: true, answer: false });
      expect(no.exit).toBe(1);
      expect(no.err).toContain('would redo 1 logical operation, 2 paths');
      expect(cli.intents()).toEqual([]);
    });
  });
});
