import { recordOf, rollbackData } from '@retrace/client/testing';
import type { LogicalOperationId, OperationId } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { leftOut, LOP, logRow, OP, planOf, rowOperation, screenAt, SES } from '../testing/samples.js';
import { renderLog } from './log.render.js';
import { renderApplied, renderOperation, type OperationDetail } from './operation.render.js';
import { renderPlan } from './plan.render.js';
import { displayWidth } from './text.js';
import { renderUndoReport } from './undo-report.render.js';

const lines = (text: string): string[] => text.split('\n');

describe('renderLog', () => {
  const rows = [
    logRow(),
    logRow({
      sequence: 1043,
      status: 'denied',
      logical_operation_id: null,
      message: 'src/app.ts: rule no-sources forbids overwrite',
      operations: [rowOperation('write', 'src/app.ts')],
    }),
    logRow({
      sequence: 1044,
      undone_by: LOP as LogicalOperationId,
      reason: 'one by one',
      operations: ['docs/a-long-folder/a-long-name.md', 'b'].map((path) =>
        rowOperation('delete', path, { undone: true }),
      ),
      operation_count: 2,
      path_count: 2,
    }),
  ];

  it('fits 80 columns', () => {
    expect(lines(renderLog(rows, screenAt(80)))).toEqual([
      ' SEQ  TIME (UTC)           AGENT   STATUS   WHAT               WHY',
      '1042  2025-01-15 14:30:22  writer  applied  edit docs/a.md     tidy the notes',
      '1043  2025-01-15 14:30:22  writer  denied   write src/app.ts   src/app.ts: rule…',
      '1044  2025-01-15 14:30:22  writer  undone   delete doc….md +1  one by one',
    ]);
  });

  it('fits 50 columns, with the time alone', () => {
    expect(lines(renderLog(rows, screenAt(50)))).toEqual([
      ' SEQ  UTC       AGENT   STATUS   WHAT      WHY',
      '1042  14:30:22  writer  applied  edit do…  tidy t…',
      '1043  14:30:22  writer  denied   write s…  src/ap…',
      '1044  14:30:22  writer  undone   delete …  one by…',
    ]);
  });

  it('names the logical operations where there is room', () => {
    expect(renderLog(rows, screenAt(200))).toContain(LOP);
  });

  it('says that there is nothing', () => {
    expect(renderLog([], screenAt(80))).toBe('nothing in the log');
  });
});

describe('renderPlan', () => {
  it('shows what comes back, and both states of what is left out', () => {
    expect(lines(renderPlan(planOf({ left_out: [leftOut()] }), screenAt(80)))).toEqual([
      'would undo 1 logical operation, 2 paths',
      'PATH         NOW                     THEN',
      'docs/a.md    aaaaaaaaaaaa, 10 bytes  removed (was created)',
      'docs/old.md  absent                  dddddddddddd, 5 bytes (was deleted)',
      '',
      'left out: 1 path',
      'docs/b.md',
      '  why       changed outside, not safe to undo: nobody recorded what is there now',
      '  recorded  file bbbbbbbbbbbb (20 bytes, mode 0644)',
      '  found     file cccccccccccc (30 bytes, mode 0644)',
      `  part of   ${LOP}`,
    ]);
  });

  it('fits 50 columns', () => {
    const text = renderPlan(planOf({ left_out: [leftOut({ why: 'dependent' })] }), screenAt(50));
    expect(Math.max(...lines(text).map(displayWidth))).toBeLessThanOrEqual(50);
    expect(text).toContain('later work stands on it');
  });

  it('says that there is nothing to undo, and why', () => {
    const text = renderPlan(planOf({ steps: [], undoes: [], left_out: [leftOut({ why: 'undone' })] }), screenAt(80));
    expect(lines(text)[0]).toBe('nothing to undo');
    expect(text).toContain('undone already');
  });
});

describe('renderUndoReport', () => {
  it('lists what was restored and what was left out', () => {
    const report = rollbackData({ outcome: 'partial', left_out: [leftOut()] });
    const undo = {
      kind: 'undo' as const,
      intentId: report.intent_id,
      sequence: 9,
      logicalOperationId: report.logical_operation_id,
      outcome: report.outcome,
      report,
    };
    const text = renderUndoReport(undo, screenAt(80));
    expect(lines(text).slice(0, 2)).toEqual(['undone in part: 1 path restored, 1 path left out', '  docs/a.md']);
    expect(text).toContain('found     file cccccccccccc (30 bytes, mode 0644)');
  });
});

describe('renderOperation', () => {
  const detail = {
    ...recordOf({ operation_id: OP as OperationId, logical_operation_id: LOP as LogicalOperationId, reason: 'first' }),
    sequence: 3,
    time: '2025-01-15T14:30:22.000Z',
    workspace: 'notes',
    kind: 'operation',
    undone_by: null,
  } as OperationDetail;

  it('shows all that is recorded, ids whole', () => {
    const text = renderOperation(detail, screenAt(80));
    expect(lines(text)).toEqual([
      'create docs/a.md',
      `  operation          ${OP}`,
      `  logical operation  ${LOP}`,
      '  sequence           3',
      '  time               2025-01-15T14:30:22.000Z',
      '  workspace          notes',
      '  agent              writer',
      '  reason             first',
      '  before             absent, recorded by nobody',
      '  after              file aaaaaaaaaaaa (1 bytes, mode 0644)',
      '  decided by         rule notes, policy version 1',
      '  duration           1 ms',
      '  undo               brings back content, existence',
    ]);
  });

  it('breaks what does not fit, and cuts nothing', () => {
    const text = renderOperation({ ...detail, session_id: SES } as OperationDetail, screenAt(50));
    expect(Math.max(...lines(text).map(displayWidth))).toBeLessThanOrEqual(50);
    expect(text.replaceAll(/\s/g, '')).toContain(SES);
  });
});

describe('renderApplied', () => {
  it('names each path, its notes, and the whole', () => {
    const applied = {
      logicalOperationId: LOP,
      sequence: 5,
      operations: [recordOf({ notes: ['a byte-order mark is gone'] })],
    };
    expect(lines(renderApplied(applied, screenAt(80)))).toEqual([
      'create docs/a.md',
      '  note: a byte-order mark is gone',
      `  as  ${LOP}`,
      '  at  5',
    ]);
  });

  it('tells of a move once, and of many paths the first', () => {
    const moved = [
      recordOf({ action: 'move', moved_to: 'b.md' as never }),
      recordOf({
        action: 'move',
        path: { typed: 'b.md', canonical: 'b.md' as never },
        moved_from: 'docs/a.md' as never,
      }),
    ];
    const applied = { logicalOperationId: LOP, sequence: 5, operations: moved };
    expect(lines(renderApplied(applied, screenAt(80)))[0]).toBe('move docs/a.md → b.md');
    const many = { ...applied, operations: Array.from({ length: 60 }, () => recordOf()) };
    expect(renderApplied(many, screenAt(80))).toContain('… and 10 paths more');
  });
});
