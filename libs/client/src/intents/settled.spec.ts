import {
  IntentDenied,
  IntentStale,
  OperationApplied,
  OperationFailed,
  RollbackCompleted,
  SessionOpened,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { describe, expect, it } from '@jest/globals';
import { IntentDeniedError, OperationFailedError } from '../errors.js';
import { appliedData, deniedData, failedData, fileState, rollbackData } from '../testing/outcome-data.js';
import { conclude } from './settled.js';

describe('conclude', () => {
  it('ends an intent with the records of what was applied, and their place in the log', () => {
    const data = appliedData();
    expect(conclude({ type: OperationApplied.type, data, sequence: 7 })).toEqual({
      kind: 'applied',
      intentId: data.intent_id,
      logicalOperationId: data.logical_operation_id,
      sequence: 7,
      operations: data.operations,
      operationCount: 1,
    });
  });

  it('tells how many records there are where an answer did not hold them all', () => {
    const data = { ...appliedData(), operation_count: 7 };
    const end = conclude({ type: OperationApplied.type, data, sequence: 7 });
    expect(end).toMatchObject({ kind: 'applied', operations: data.operations, operationCount: 7 });
  });

  it('turns a denial into an error that names rule, policy, path and action', () => {
    const error = conclude({ type: IntentDenied.type, data: deniedData(), sequence: 8 });
    expect(error).toBeInstanceOf(IntentDeniedError);
    expect(error).toMatchObject({
      code: 'rule_denies',
      message: 'src/a.ts: rule no-sources forbids overwrite',
      rule: 'no-sources',
      policyVersion: 3,
      path: 'src/a.ts',
      action: 'write',
      sequence: 8,
    });
  });

  it('turns a failure into an error that holds what was expected and what was found', () => {
    const error = conclude({ type: OperationFailed.type, data: failedData(), sequence: 9 });
    expect(error).toBeInstanceOf(OperationFailedError);
    expect(error).toMatchObject({
      code: 'expected_mismatch',
      path: 'docs/a.md',
      expected: fileState('a'),
      found: fileState('b'),
    });
  });

  it('waits for the report of a rollback, whatever its parts did', () => {
    const part = { kind: 'rollback' as const, rollback_id: newId('rbk') };
    expect(conclude({ type: OperationApplied.type, data: appliedData(part), sequence: 1 })).toBeUndefined();
    expect(conclude({ type: OperationFailed.type, data: failedData(part), sequence: 2 })).toBeUndefined();
    const data = rollbackData({ outcome: 'partial' });
    expect(conclude({ type: RollbackCompleted.type, data, sequence: 3 })).toMatchObject({
      kind: 'undo',
      outcome: 'partial',
      report: data,
    });
  });

  it('takes the opening of a session as its end', () => {
    const data = {
      intent_id: newId('int'),
      in_sequence: 1,
      attempt: 1,
      session_id: newId('ses'),
      agent: 'writer',
      task: 'notes',
      conversation_id: null,
      model: null,
    };
    expect(conclude({ type: SessionOpened.type, data, sequence: 4 })).toMatchObject({
      kind: 'session',
      sessionId: data.session_id,
      status: 'active',
    });
  });

  it.each([IntentStale.type, 'retrace.moon.risen.v1'])('goes on waiting at %s', (type) => {
    expect(conclude({ type, data: {}, sequence: 1 })).toBeUndefined();
  });

  it('refuses data that is not what its type promises', () => {
    expect(() => conclude({ type: IntentDenied.type, data: { code: 1 }, sequence: 1 })).toThrow(/intent_id/);
  });
});
