import { describe, expect, it } from '@jest/globals';
import {
  type EventData,
  INTENT_STREAM,
  type IntentAuthorized,
  IntentDenied,
  MessageRejected,
} from '@retrace/contracts';
import type { FoldedEvent } from './fold-event.js';
import type { RowKey } from './rows.js';
import {
  applied,
  authorized,
  completed,
  derivedId,
  id,
  MemoryRows,
  opened,
  openedLop,
  operation,
  published,
  ready,
  stored,
  transfer,
  wentStale,
} from './testing.js';

const after = (...events: FoldedEvent[]): MemoryRows =>
  events.reduce((rows, event) => rows.with(event), new MemoryRows());
const write = [operation('write', 'free/a', 1)];
const denied = (number: number, attempt = 1, code = 'withdrawn') =>
  stored(IntentDenied, {
    intent_id: id('int', number),
    in_sequence: number,
    attempt,
    intent_type: 'operation.apply',
    session_id: null,
    code,
    message: 'm',
    rule: null,
    policy_version: null,
    path: null,
    action: null,
    reason: null,
    retryable: false,
  });
const staleKey: RowKey = ['ws', 'writer', id('int', 1)];

describe('the fold of the log', () => {
  it('counts the first decision of an attempt alone', () => {
    const first = denied(1);
    const rows = after(...ready, first, authorized(1, write));
    expect(rows.get('decision', ['ws', 'writer', id('int', 1), 1])).toEqual({
      sequence: first.sequence,
      type: first.type,
    });
    expect(rows.inflight()).toEqual([]);
    expect(rows.get('operation', ['ws', id('op', 1)])).toBeUndefined();
  });

  it('keeps the decisions of principals apart', () => {
    const rows = after(...ready, denied(1));
    expect(rows.get('decision', ['ws', 'reviewer', id('int', 1), 1])).toBeUndefined();
  });

  it('spends operation ids and keeps what is in flight until it ends', () => {
    const rows = after(...ready, authorized(1, write));
    expect(rows.get('operation', ['ws', id('op', 1)])).toEqual({ intent_id: id('int', 1), agent: 'writer' });
    expect(rows.inflight()).toHaveLength(1);
    expect(rows.with(applied(1)).inflight()).toEqual([]);
    expect(rows.with(applied(2)).inflight()).toHaveLength(1);
  });

  it('spends the ids of all records: the old path of a move and the steps of rollbacks have derived ones', () => {
    const [asked, source, step] = [id('op', 1), derivedId('op', 2), derivedId('op', 3)];
    const rows = after(...ready, authorized(1, write), applied(1, undefined, [asked, source]));
    expect(rows.get('operation', ['ws', source])).toEqual({ intent_id: id('int', 1), agent: 'writer' });
    expect(rows.with(applied(2, undefined, [source, step])).get('operation', ['ws', step])).toEqual({
      intent_id: id('int', 2),
      agent: 'writer',
    });
    expect(rows.with(applied(2, undefined, [source])).get('operation', ['ws', source])).toEqual({
      intent_id: id('int', 1),
      agent: 'writer',
    });
  });

  it('turns a stale intent into the next attempt, and follows links from then on', () => {
    const rows = after(...ready, authorized(1, write), wentStale(1, 'link'));
    expect(rows.inflight()).toEqual([]);
    expect(rows.get('stale', staleKey)).toMatchObject({ attempt: 2, follow: true });
    const again = rows.with(authorized(1, write, 2));
    expect(again.get('stale', staleKey)).toBeUndefined();
    expect(again.with(wentStale(1, 'moved', 2)).get('stale', staleKey)).toMatchObject({ attempt: 3, follow: true });
  });

  it('ignores a stale message of an old attempt, and a repeated one', () => {
    const rows = after(...ready, authorized(1, write), wentStale(1, 'moved'), authorized(1, write, 2));
    expect(rows.with(wentStale(1, 'moved', 1)).get('stale', staleKey)).toBeUndefined();
    expect(rows.with(wentStale(1, 'moved', 1)).inflight()).toHaveLength(1);
  });

  it('forgets the next attempt once it is denied', () => {
    const rows = after(...ready, authorized(1, write), wentStale(1, 'moved'), denied(1, 2));
    expect(rows.get('stale', staleKey)).toBeUndefined();
  });

  it('opens a session once and completes it', () => {
    const rows = after(...ready, {
      ...opened(1, 'reviewer'),
      data: { ...opened(1, 'reviewer').data, intent_id: id('int', 5) },
    } as FoldedEvent);
    expect(rows.get('session', ['ws', id('ses', 1)])).toMatchObject({ agent: 'writer', status: 'active' });
    expect(rows.with(completed()).get('session', ['ws', id('ses', 1)])).toMatchObject({ status: 'completed' });
  });

  it('keeps every policy, and the newest in force', () => {
    const rows = after(...ready, published('version: 1\nname: b\nrules: []', 2), published('old', 1));
    expect(rows.get('policy', ['ws'])).toMatchObject({ version: 2 });
    expect(rows.get('policy_version', ['ws', 1])).toMatchObject({ version: 1 });
  });

  it('remembers what policy itself passed by at the agents’ door', () => {
    const rejected = (stream: string, service = 'policy') =>
      stored(MessageRejected, {
        service,
        stream,
        sequence: 4,
        subject: 's',
        rejected_event_id: null,
        reason: 'r',
        message: 'm',
      });
    expect(after(rejected(INTENT_STREAM)).get('rejected', ['ws', 4])).toEqual({ reason: 'r' });
    expect(after(rejected('RETRACE'), rejected(INTENT_STREAM, 'x')).get('rejected', ['ws', 4])).toBeUndefined();
  });

  it('keeps parts of one logical operation apart until each has its outcome', () => {
    const part = (number: number, which: number) =>
      authorized(number, [operation('write', `free/${number}`, number)], 1, { lop: 5, part: which });
    const rows = after(...ready, openedLop(5), part(2, 1), part(3, 2));
    expect(rows.inflight()).toHaveLength(2);
    const one = rows.with(applied(2, { lop: 5, part: 1 }));
    expect(one.inflight().map(({ authorized: { intent_id } }) => intent_id)).toEqual([id('int', 3)]);
    expect(one.get('logical_operation', ['ws', id('lop', 5)])).toMatchObject({ status: 'open', parts: 2, pending: 1 });
    const twice = one.with(applied(2, { lop: 5, part: 1 }));
    expect(twice.get('logical_operation', ['ws', id('lop', 5)])).toMatchObject({ pending: 1 });
  });

  it('keeps what was asked for, not what it was expanded into, and both ends of a move', () => {
    const asked = transfer('move', 'free/d', 'free/n');
    const mkdir = { ...operation('mkdir', 'free/n'), operation_id: asked.operation_id };
    const event = authorized(1, [
      mkdir,
      transfer('move', 'free/d/a', 'free/n/a', {}, 2),
      operation('rmdir', 'free/d', 3),
    ]);
    const [root, ...parts] = (event.data as EventData<typeof IntentAuthorized>).operations;
    const operations = [{ ...root, asked }, ...parts.map((one) => ({ ...one, part_of: asked.operation_id }))];
    const [row] = after(...ready, { ...event, data: { ...event.data, operations } } as FoldedEvent).inflight();
    expect(row?.requests).toEqual([asked]);
    expect(row?.effects).toEqual([
      { operation_id: asked.operation_id, path: 'free/n', leaves: 'something' },
      { operation_id: id('op', 2), path: 'free/d/a', leaves: 'nothing', source: true },
      { operation_id: id('op', 2), path: 'free/n/a', leaves: 'something' },
      { operation_id: id('op', 3), path: 'free/d', leaves: 'nothing' },
    ]);
  });
});
