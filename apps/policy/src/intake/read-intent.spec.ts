import { describe, expect, it } from '@jest/globals';
import { MAX_INTENT_BYTES } from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import { apply, id, operation } from '../domain/testing.js';
import { readIntent } from './read-intent.js';

const SUBJECT = 'retrace.intent.ws.writer';
const bytes = (json: unknown): Uint8Array => Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
const intent = apply([operation('write', 'a')]);
const second = (operation_id: string) => ({
  ...intent,
  operations: [operation('write', 'a', 1), { ...operation('write', 'b'), operation_id }],
});
const escaped = (text: string): string => text.replaceAll(/[[\].]/g, String.raw`\$&`);

describe('readIntent', () => {
  it('takes the sender from the subject, never from the body', () => {
    const read = readIntent(SUBJECT, bytes({ ...intent, workspace: 'other', principal: '_op-me', agent: '_op-me' }));
    expect(read).toEqual({ kind: 'intent', sender: { workspace: 'ws', principal: 'writer' }, intent });
  });

  it('names the field that is wrong', () => {
    const read = readIntent(SUBJECT, bytes({ ...intent, operations: [{ ...operation('write', 'a'), size: -1 }] }));
    expect(read).toMatchObject({ kind: 'malformed', intent: { intent_id: intent.intent_id, type: 'operation.apply' } });
    expect(read).toMatchObject({
      refusal: { code: 'malformed_intent', message: expect.stringContaining('operations[0].size') },
    });
  });

  it('is not brought down by an object in the place of a text', () => {
    const strange = { length: { toString: 1, valueOf: 1 } };
    const read = (fields: object) => readIntent(SUBJECT, bytes({ ...intent, ...fields }));
    expect(read({ reason: strange })).toMatchObject({ kind: 'malformed', refusal: { code: 'malformed_intent' } });
    expect(read({ session_id: strange })).toMatchObject({ kind: 'malformed' });
    expect(read({ intent_id: strange })).toMatchObject({ kind: 'unreadable' });
  });

  it('repeats of a malformed intent only what has its proper form', () => {
    const read = readIntent(
      SUBJECT,
      bytes({ intent_id: intent.intent_id, type: 'evil\ntype', session_id: 'no session' }),
    );
    expect(read).toMatchObject({ kind: 'malformed', intent: { intent_id: intent.intent_id, type: 'unknown' } });
    expect(read).not.toHaveProperty('intent.session_id');
  });

  it('says of a malformed part of which logical operation it was', () => {
    const part = { ...intent, logical_operation_id: id('lop', 5), operations: [] };
    expect(readIntent(SUBJECT, bytes(part))).toMatchObject({ kind: 'malformed', intent: { partOf: id('lop', 5) } });
    const end = { ...part, type: 'operation.commit', session_id: 7 };
    expect(readIntent(SUBJECT, bytes(end))).not.toHaveProperty('intent.partOf');
  });

  it('takes ids of new things only where they are minted: derived ones are for what services name themselves', () => {
    const derived = (prefix: 'op' | 'int' | 'ses' | 'lop') => deriveId(prefix, 'of another');
    const session = { type: 'session.open', intent_id: id('int', 1), session_id: id('ses', 1), task: 't' };
    const opening = { type: 'operation.open', intent_id: id('int', 1), session_id: id('ses', 1) };
    const cases: [string, object][] = [
      ['intent_id', { ...intent, intent_id: derived('int') }],
      ['intent_id', { type: 'withdraw', intent_id: derived('int'), withdrawn_intent_id: id('int', 1) }],
      ['operations[1].operation_id', second(derived('op'))],
      ['session_id', { ...session, session_id: derived('ses') }],
      ['logical_operation_id', { ...opening, logical_operation_id: derived('lop') }],
    ];
    for (const [field, body] of cases)
      expect(readIntent(SUBJECT, bytes(body))).toMatchObject({
        kind: 'malformed',
        refusal: { code: 'malformed_intent', message: expect.stringMatching(`${escaped(field)}: .*mint a new one`) },
      });
    expect(readIntent(SUBJECT, bytes(session))).toMatchObject({ kind: 'intent' });
    expect(readIntent(SUBJECT, bytes({ ...opening, logical_operation_id: id('lop', 1) }))).toMatchObject({
      kind: 'intent',
    });
  });

  it('takes derived ids of what is there', () => {
    const references = {
      ...intent,
      logical_operation_id: deriveId('lop', 'opened long ago'),
      provenance: { parent_operation: deriveId('op', 'part of a move') },
    };
    expect(readIntent(SUBJECT, bytes(references))).toMatchObject({ kind: 'intent' });
  });

  it('refuses an intent that is too large', () => {
    const read = readIntent(SUBJECT, bytes({ ...intent, padding: 'x'.repeat(MAX_INTENT_BYTES) }));
    expect(read).toMatchObject({ kind: 'malformed', refusal: { code: 'intent_too_large' } });
  });

  it('keeps a problem text short', () => {
    const operations = Array.from({ length: 256 }, (_, index) => ({ ...operation('write', 'a'), operation_id: index }));
    const read = readIntent(SUBJECT, bytes({ ...intent, operations }));
    expect(read.kind === 'malformed' && read.refusal.message.length).toBeLessThan(2200);
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['null', 'null'],
    ['no intent id', '{"type":"withdraw"}'],
    ['an id of another kind', JSON.stringify({ intent_id: id('op', 1) })],
    ['no UTF-8', '\u0000\ufffd'],
  ])('answers nobody for %s', (_what, body) => {
    expect(readIntent(SUBJECT, bytes(body))).toMatchObject({ kind: 'unreadable', reason: 'malformed_intent' });
  });

  it.each(['retrace.intent.ws', 'retrace.intent.WS.writer', 'retrace.event.1.ws.writer.intent.denied'])(
    'answers nobody on %s',
    (subject) => {
      expect(readIntent(subject, bytes(intent))).toMatchObject({ kind: 'unreadable', reason: 'bad_subject' });
    },
  );
});
