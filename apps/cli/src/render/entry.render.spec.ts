import { failedData, fileState } from '@retrace/client/testing';
import type { LogicalOperationId } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { LOP, logRow, OP, rowOperation, screenAt, SES } from '../testing/samples.js';
import { type EntryDetail, renderEntry, tellsOfFailure } from './entry.render.js';

const INTENT = 'int_0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d13' as EntryDetail['intent_id'];
const failed = logRow({
  status: 'failed',
  code: 'expected_mismatch',
  message: 'docs/a.md: expected a, found b',
  session_id: SES as EntryDetail['entry']['session_id'],
  tool: 'retrace edit',
  reason: 'first',
  rule: 'notes',
  policy_version: 3,
  operations: [rowOperation('edit', 'docs/a.md', { operation_id: OP as never })],
});
const detailOf = (change: Partial<EntryDetail> = {}): EntryDetail => ({
  entry: failed as EntryDetail['entry'],
  intent_id: INTENT,
  failure: failedData({ needs_attention: [{ path: 'docs/a.md', found: fileState('c', 3), kept: 'stage-1' }] }),
  root: '/srv/notes',
  ...change,
});
const lines = (detail: EntryDetail, width = 120): string[] => renderEntry(detail, screenAt(width)).split('\n');

describe('renderEntry', () => {
  it('says of a failure all that the log knows, and where content was kept', () => {
    expect(lines(detailOf())).toEqual([
      'operation failed',
      '  code               expected_mismatch',
      '  message            docs/a.md: expected a, found b',
      '  path               docs/a.md',
      '  expected           file aaaaaaaaaaaa (1 bytes, mode 0644)',
      '  found              file bbbbbbbbbbbb (1 bytes, mode 0644)',
      '  needs attention    docs/a.md: found file cccccccccccc (3 bytes, mode 0644)',
      '  kept               /srv/notes/.retrace/staging/stage-1',
      `  asked for          edit docs/a.md (${OP})`,
      `  logical operation  ${LOP}`,
      `  intent             ${INTENT}`,
      '  sequence           1042',
      '  time               2025-01-15T14:30:22.000Z',
      '  agent              writer',
      `  session            ${SES}`,
      '  task               tidy the notes',
      '  tool               retrace edit',
      '  reason             first',
      '  rule               notes',
      '  policy version     3',
    ]);
  });

  it('says of a denial which rule refused what', () => {
    const operations = [rowOperation('delete', 'docs/a.md')];
    const entry = { ...failed, status: 'denied' as const, logical_operation_id: null, operations, code: 'no_rule' };
    const text = lines(detailOf({ entry, failure: null }));
    expect(text[0]).toBe('operation denied');
    expect(text).toContain('  asked for       delete docs/a.md');
    expect(text).toContain('  rule            notes');
  });

  it('tells an undo that failed in part from one that did not', () => {
    const entry = { ...failed, kind: 'rollback', status: 'applied', logical_operation_id: LOP as LogicalOperationId };
    const partly = detailOf({ entry } as Partial<EntryDetail>);
    expect(lines(partly)[0]).toBe('undo failed in part');
    expect(tellsOfFailure(partly)).toBe(true);
    expect(tellsOfFailure(detailOf({ entry: { ...entry, code: null } } as Partial<EntryDetail>))).toBe(false);
  });
});
