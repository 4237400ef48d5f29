import { describe, expect, it } from '@jest/globals';
import { redactIntent } from './redact-intent.js';
import { apply, hash, id, operation } from './testing.js';

const redact = (text: string): string => text.replaceAll('s3cret', '[redacted:password]');

describe('redactIntent', () => {
  it('cleans the texts that are recorded, and nothing else', () => {
    const intent = apply([operation('write', 's3cret.txt')], {
      reason: 'a s3cret',
      provenance: { user_intent: 'b s3cret', ticket: 's3cret', parent_operation: id('op', 9) },
    });
    expect(redactIntent(intent, redact)).toEqual({
      ...intent,
      reason: 'a [redacted:password]',
      provenance: {
        user_intent: 'b [redacted:password]',
        ticket: '[redacted:password]',
        parent_operation: id('op', 9),
      },
    });
  });

  it.each(['operation.open', 'operation.abort'] as const)('cleans the reason of %s', (type) => {
    const ids = {
      intent_id: id<never>('int', 1),
      session_id: id<never>('ses', 1),
      logical_operation_id: id<never>('lop', 1),
    };
    expect(redactIntent({ type, ...ids, reason: 's3cret' }, redact)).toMatchObject({ reason: '[redacted:password]' });
  });

  it('cleans the task of a session and the reason of a rollback', () => {
    const open = {
      type: 'session.open',
      intent_id: id<never>('int', 1),
      session_id: id<never>('ses', 1),
      task: 's3cret',
    } as const;
    expect(redactIntent(open, redact)).toMatchObject({ task: '[redacted:password]' });
    const rollback = {
      type: 'rollback',
      intent_id: id<never>('int', 1),
      plan_hash: hash('f'),
      reason: 's3cret',
    } as const;
    expect(redactIntent(rollback, redact)).toMatchObject({ reason: '[redacted:password]' });
  });

  it('adds no texts that were not there', () => {
    const intent = apply([operation('write', 'a')]);
    expect(redactIntent(intent, redact)).toEqual(intent);
  });

  it('keeps to the lengths that events have too where marks are longer than secrets; reasons have none there', () => {
    const reason = 's3cret '.repeat(280);
    expect(redactIntent(apply([operation('write', 'a')], { reason }), redact)).toMatchObject({
      reason: redact(reason),
    });
    const ticket = 's3cret '.repeat(28);
    const cleaned = redactIntent(apply([operation('write', 'a')], { provenance: { ticket } }), redact);
    expect('provenance' in cleaned && cleaned.provenance?.ticket).toHaveLength(200);
  });
});
