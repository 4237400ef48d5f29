import { describe, expect, it } from '@jest/globals';
import {
  type ErrorCode,
  IntentAuthorized,
  IntentDenied,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
  MAX_PATHS_PER_LOGICAL_OPERATION,
} from '@retrace/contracts';
import { DEFAULT_TIMEOUT_MS, MAX_OPEN_PER_SESSION } from './decide-open-operation.js';
import type { DecidableIntent } from './decision-input.js';
import type { FoldedEvent } from './fold-event.js';
import {
  abortedLop,
  applied,
  apply,
  authorized,
  committedLop,
  completed,
  derivedId,
  failed,
  given,
  id,
  memberAdded,
  openedLop,
  opened,
  operation,
  principal,
  ready,
  stored,
  wentStale,
} from './testing.js';

const denied = (code: ErrorCode, more: object = {}) => [{ type: IntentDenied.type, data: { code, ...more } }];
const of = (type: 'operation.open' | 'operation.commit' | 'operation.abort', lop = 5, session = 1) =>
  ({
    type,
    intent_id: id<never>('int', 1),
    session_id: id<never>('ses', session),
    logical_operation_id: id<never>('lop', lop),
  }) as DecidableIntent;
const open = of('operation.open');
const commit = of('operation.commit');
const abort = of('operation.abort');
const part = (number = 9) =>
  apply([operation('write', `free/${number}`, number)], {
    intent_id: id<never>('int', 1),
    logical_operation_id: id<never>('lop', 5),
  });
const partAuthorized = (number: number, which: number, attempt = 1) =>
  authorized(number, [operation('write', `free/${number}`, number)], attempt, { lop: 5, part: which });
const partDenied = (by = 'writer', session = 1) =>
  stored(
    IntentDenied,
    {
      intent_id: id('int', 30),
      in_sequence: 30,
      attempt: 1,
      intent_type: 'operation.apply',
      session_id: id('ses', session),
      logical_operation_id: id('lop', 5),
      code: 'rule_denies',
      message: 'kept as it is',
      rule: null,
      policy_version: null,
      path: null,
      action: null,
      reason: null,
      retryable: false,
    },
    { agent: principal(by) },
  );
const isOpen = [...ready, openedLop(5)];

describe('a logical operation of several intents', () => {
  it('is opened under no derived id: a rollback will have it', () => {
    const reserved = derivedId<never>('lop', 5);
    given(ready)
      .when({ intent: { ...open, logical_operation_id: reserved } as DecidableIntent })
      .thenMatches(denied('logical_operation_exists', { message: expect.stringContaining(reserved) }));
  });

  it('is opened under a new id, with a deadline', () => {
    given(ready)
      .when({ intent: { ...open, reason: 'tidy' } as DecidableIntent })
      .thenMatches([
        {
          type: LogicalOperationOpened.type,
          data: {
            logical_operation_id: id('lop', 5),
            session_id: id('ses', 1),
            reason: 'tidy',
            timeout_ms: DEFAULT_TIMEOUT_MS,
          },
        },
      ]);
    given(ready)
      .when({ intent: { ...open, timeout_ms: 2000 } as DecidableIntent })
      .thenMatches([{ data: { timeout_ms: 2000 } }]);
  });

  it.each<[string, FoldedEvent[], number]>([
    ['open', isOpen, 5],
    ['committed', [...isOpen, committedLop(5)], 5],
    ['aborted', [...isOpen, abortedLop(5)], 5],
    ['an intent’s own', [...ready, authorized(5, [operation('write', 'free/a', 3)])], 5],
    ['the rollback of an abort', [...isOpen, abortedLop(5)], 775],
  ])('is not opened under an id that is %s', (_what, history, lop) =>
    given(history)
      .when({ intent: of('operation.open', lop) })
      .thenMatches(denied('logical_operation_exists')),
  );

  it('is not opened in others’ sessions, nor in a completed one, nor beside too many', () => {
    given([...ready, opened(2, 'reviewer')])
      .when({ intent: of('operation.open', 5, 2) })
      .thenMatches(denied('not_your_session'));
    given([...ready, completed()])
      .when({ intent: open })
      .thenMatches(denied('session_closed'));
    const many = Array.from({ length: MAX_OPEN_PER_SESSION }, (_, index) => openedLop(100 + index));
    given([...ready, ...many])
      .when({ intent: open })
      .thenMatches(denied('busy', { retryable: true }));
    given([...ready, ...many, committedLop(100)])
      .when({ intent: open })
      .thenMatches([{ type: LogicalOperationOpened.type }]);
  });

  it('takes parts, counted in the order of their decisions', () => {
    given(isOpen)
      .when({ intent: part() })
      .thenMatches([
        { type: IntentAuthorized.type, data: { logical_operation_id: id('lop', 5), open: true, part: 1 } },
      ]);
    given([...isOpen, partAuthorized(2, 1), applied(2, { lop: 5, part: 1 }), partAuthorized(3, 2)])
      .when({ intent: part() })
      .thenMatches([{ data: { part: 3 } }]);
  });

  it('changes no more paths in all than one intent may', () => {
    const most = MAX_PATHS_PER_LOGICAL_OPERATION;
    const writes = (count: number) =>
      Array.from({ length: count }, (_, index) => operation('write', `free/w${index}`, 100 + index));
    const large = authorized(2, [...writes(most - 3), operation('move', 'free/m', 99)], 1, { lop: 5, part: 1 });
    const history = [...isOpen, large];
    given(history)
      .when({ intent: part() })
      .thenMatches([{ type: IntentAuthorized.type }]);
    const two = { ...part(), operations: [operation('write', 'free/y', 8), operation('write', 'free/z', 9)] };
    const refused = denied('too_many_paths', { path: 'free/y', message: expect.stringContaining(`${most + 1} with`) });
    for (const ended of [[], [applied(2, { lop: 5, part: 1 })]])
      given([...history, ...ended])
        .when({ intent: two })
        .thenMatches(refused);
    const sentBack = [...history, wentStale(2, 'moved', 1, 5)];
    given(sentBack)
      .when({ intent: two })
      .thenMatches([{ type: IntentAuthorized.type }]);
    given([...sentBack, authorized(2, writes(most - 1), 2, { lop: 5, part: 1 })])
      .when({ intent: two })
      .thenMatches(refused);
  });

  it('keeps the number of a part that was sent back', () =>
    given([...isOpen, partAuthorized(1, 1), partAuthorized(2, 2), wentStale(1, 'moved', 1, 5)])
      .when({ intent: part(1), attempt: 2, asked: { part: 1 } })
      .thenMatches([{ data: { part: 1, attempt: 2, open: true } }]));

  it('takes no part from others, or under an id that was never opened', () => {
    given(ready).when({ intent: part() }).thenMatches(denied('unknown_logical_operation'));
    given([...ready, authorized(5, [operation('write', 'free/a', 3)])])
      .when({ intent: part() })
      .thenMatches(denied('unknown_logical_operation'));
    given([...isOpen, opened(2)])
      .when({ intent: { ...part(), session_id: id<never>('ses', 2) } })
      .thenMatches(denied('unknown_logical_operation'));
  });

  it.each<[string, FoldedEvent]>([
    ['committed', committedLop(5)],
    ['aborted', abortedLop(5)],
    ['aborted', abortedLop(5, 'timeout')],
  ])('that is %s takes nothing more', (_how, end) => {
    for (const intent of [part(), commit, abort])
      given([...isOpen, end])
        .when({ intent })
        .thenMatches(denied('logical_operation_closed'));
  });

  it('over its time takes no part and no commit, but is aborted', () => {
    const late = { time: '2026-01-02T00:01:00.001Z' };
    for (const intent of [part(), commit])
      given(isOpen).when({ intent, asked: late }).thenMatches(denied('logical_operation_closed'));
    given(isOpen)
      .when({ intent: abort, asked: late })
      .thenMatches([{ type: LogicalOperationAborted.type }]);
    given(isOpen)
      .when({ intent: part(), asked: { time: '2026-01-02T00:01:00.000Z' } })
      .thenMatches([{ type: IntentAuthorized.type }]);
  });

  it('is committed once all its parts have their outcomes', () => {
    const two = [...isOpen, partAuthorized(2, 1), partAuthorized(3, 2), applied(3, { lop: 5, part: 2 })];
    for (const intent of [commit, abort])
      given(two)
        .when({ intent })
        .then([{ kind: 'need_outcomes', logicalOperationId: id('lop', 5) }]);
    given(two)
      .when({ intent: commit, findings: { parts: 'busy' } })
      .thenMatches(denied('workspace_unavailable', { retryable: true }));
    given([...two, applied(2, { lop: 5, part: 1 })])
      .when({ intent: commit })
      .thenMatches([{ type: LogicalOperationCommitted.type, data: { logical_operation_id: id('lop', 5) } }]);
  });

  it('waits for a part that was sent back as for one in flight', () => {
    const sentBack = [...isOpen, partAuthorized(2, 1), wentStale(2, 'moved', 1, 5)];
    given(sentBack)
      .when({ intent: commit })
      .then([{ kind: 'need_outcomes', logicalOperationId: id('lop', 5) }]);
    given([...sentBack, partAuthorized(2, 1, 2), applied(2, { lop: 5, part: 1 })])
      .when({ intent: commit })
      .thenMatches([{ type: LogicalOperationCommitted.type }]);
  });

  const deniedLater = stored(IntentDenied, { ...partDenied().data, intent_id: id('int', 2), attempt: 2 } as never);
  it.each<[string, FoldedEvent[]]>([
    ['failed', [partAuthorized(2, 1), failed(2, { lop: 5, part: 1 })]],
    ['denied', [partDenied()]],
    ['denied at its second attempt', [partAuthorized(2, 1), wentStale(2, 'moved', 1, 5), deniedLater]],
  ])('a part of which was %s can only be aborted', (_how, events) => {
    const history = [...isOpen, ...events];
    for (const intent of [part(), commit])
      given(history).when({ intent }).thenMatches(denied('logical_operation_failed'));
    given(history)
      .when({ intent: abort })
      .thenMatches([{ type: LogicalOperationAborted.type, data: { why: 'requested' } }]);
  });

  it('is not harmed by what others ask for under its id', () => {
    for (const stranger of [partDenied('reviewer'), partDenied('writer', 2)])
      given([...isOpen, stranger])
        .when({ intent: commit })
        .thenMatches([{ type: LogicalOperationCommitted.type }]);
  });

  it('names itself in the refusal of a part', () =>
    given(isOpen)
      .when({ intent: { ...part(), operations: [operation('write', 'closed/a')] } })
      .thenMatches(denied('rule_denies', { logical_operation_id: id('lop', 5) })));

  it('is aborted with the ids of the rollback that takes it back', () =>
    given(isOpen)
      .when({ intent: { ...abort, reason: 'wrong way' } as DecidableIntent })
      .thenMatches([
        {
          type: LogicalOperationAborted.type,
          data: {
            why: 'requested',
            reason: 'wrong way',
            rollback_id: id('rbk', 1),
            rollback_logical_operation_id: id('lop', 2),
          },
        },
      ]));

  it('keeps its session from being completed', () => {
    const complete: DecidableIntent = { type: 'session.complete', intent_id: id('int', 1), session_id: id('ses', 1) };
    given(isOpen)
      .when({ intent: complete })
      .thenMatches(denied('logical_operation_open', { message: expect.stringContaining(id('lop', 5)) }));
    for (const end of [committedLop(5), abortedLop(5, 'timeout')])
      given([...isOpen, end])
        .when({ intent: complete })
        .thenMatches([{ type: 'retrace.session.completed.v1' }]);
  });

  it('is ended by nobody else, operators included', () =>
    given([...isOpen, memberAdded])
      .when({ intent: commit, by: '_op-me' })
      .thenMatches(denied('not_your_session')));

  it('ends once: a time-out behind a commit changes nothing', () =>
    given([...isOpen, committedLop(5), abortedLop(5, 'timeout')])
      .when({ intent: of('operation.open', 775) })
      .thenMatches([{ type: LogicalOperationOpened.type }]));
});
