import { describe, expect, it } from '@jest/globals';
import { IntentSchema, MAX_OPERATIONS_PER_INTENT } from './intent.js';
import { EditScriptSchema, OperationRequestSchema } from './operation-request.js';

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';
const hash = 'ab'.repeat(32);
const common = { intent_id: `int_${UUID}`, session_id: `ses_${UUID}` };
const blob = { content_hash: hash, size: 0 };
const operation = { action: 'write', operation_id: `op_${UUID}`, path: 'a', ...blob };
const apply = { ...common, type: 'operation.apply', operations: [operation] };

const accepts = (intent: unknown): boolean => IntentSchema.safeParse(intent).success;
const applying = (change: Record<string, unknown>) => ({ ...apply, operations: [{ ...operation, ...change }] });

describe('intents', () => {
  it.each([
    ['to open a session', { ...common, type: 'session.open', task: '' }],
    ['to complete a session', { ...common, type: 'session.complete' }],
    ['to apply operations', apply],
    ['to withdraw another', { ...common, type: 'withdraw', withdrawn_intent_id: `int_${UUID}` }],
    ['to roll back a plan', { ...common, type: 'rollback', plan_hash: hash }],
    [
      'as large as can be',
      { ...apply, operations: Array.from({ length: MAX_OPERATIONS_PER_INTENT }, () => operation) },
    ],
  ])('are taken %s', (_, intent) => {
    expect(accepts(intent)).toBe(true);
  });

  it.each([
    ['of no type', { ...apply, type: undefined }],
    ['of a type nobody knows', { ...apply, type: 'operation.undo' }],
    ['without an id', { ...apply, intent_id: undefined }],
    ['with the id of something else', { ...apply, intent_id: `op_${UUID}` }],
    ['without a session', { ...apply, session_id: undefined }],
    ['without operations', { ...apply, operations: [] }],
    ['with one operation too many', { ...apply, operations: Array.from({ length: 257 }, () => operation) }],
    ['with an endless reason', { ...apply, reason: 'x'.repeat(2001) }],
    ['with an endless path', applying({ path: 'x'.repeat(16_001) })],
    ['with a path that is no text', applying({ path: 7 })],
    ['with an endless trace', { ...apply, traceparent: 'x'.repeat(201) }],
    ['with a trace that no header holds', { ...apply, traceparent: 'ñ' }],
    ['with an empty trace', { ...apply, traceparent: '' }],
    ['with a plan that is no hash', { ...common, type: 'rollback', plan_hash: 'latest' }],
    ['with an endless task', { ...common, type: 'session.open', task: 'x'.repeat(4001) }],
    ['that are a list', [apply]],
    ['that are null', null],
  ])('are refused %s', (_, intent) => {
    expect(accepts(intent)).toBe(false);
  });
});

describe('operations', () => {
  it.each([
    ['create', { ...operation, action: 'create', mode: 0o755 }],
    ['write', { ...operation, write_mode: 'in_place', expected: { kind: 'absent' } }],
    ['edit', { ...operation, action: 'edit' }],
    ['mkdir', { action: 'mkdir', operation_id: `op_${UUID}`, path: 'a' }],
    ['delete', { action: 'delete', operation_id: `op_${UUID}`, path: 'a' }],
  ])('%s', (_, request) => {
    expect(OperationRequestSchema.parse(request)).toEqual(request);
  });

  it.each([
    ['an action nobody knows', { ...operation, action: 'chmod' }],
    ['no content', { ...operation, content_hash: undefined }],
    ['a size that is none', { ...operation, size: -1 }],
    ['a size beyond all numbers', { ...operation, size: Number.MAX_SAFE_INTEGER + 1 }],
    ['mode bits of a file type', { ...operation, mode: 0o100644 }],
    ['a write mode nobody knows', { ...operation, write_mode: 'append' }],
    ['an expectation of another shape', { ...operation, expected: { kind: 'file' } }],
    ['the id of something else', { ...operation, operation_id: `int_${UUID}` }],
  ])('are refused with %s', (_, request) => {
    expect(OperationRequestSchema.safeParse(request).success).toBe(false);
  });
});

describe('edit scripts', () => {
  const edit = { old_text: 'a', new_text: '' };
  it.each([
    ['one edit', [edit], true],
    ['a thousand', Array.from({ length: 1000 }, () => edit), true],
    ['none', [], false],
    ['more than a thousand', Array.from({ length: 1001 }, () => edit), false],
    ['nothing to look for', [{ ...edit, old_text: '' }], false],
  ])('with %s', (_, edits, taken) => {
    expect(EditScriptSchema.safeParse({ edits }).success).toBe(taken);
  });
});
