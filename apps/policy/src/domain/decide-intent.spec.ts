import { describe, expect, it } from '@jest/globals';
import {
  type ErrorCode,
  IntentAuthorized,
  IntentDenied,
  MemberAdded,
  type OperationRequest,
  SessionCompleted,
  SessionOpened,
} from '@retrace/contracts';
import type { DecidableIntent, Findings } from './decision-input.js';
import {
  apply,
  authorized,
  completed,
  given,
  hash,
  id,
  memberAdded,
  opened,
  operation,
  principal,
  published,
  ready,
  registered,
  stored,
} from './testing.js';

const denied = (code: ErrorCode, more: object = {}) => [{ type: IntentDenied.type, data: { code, ...more } }];
const open: DecidableIntent = {
  type: 'session.open',
  intent_id: id('int', 1),
  session_id: id('ses', 2),
  task: 'tidy up',
};
const complete: DecidableIntent = { type: 'session.complete', intent_id: id('int', 1), session_id: id('ses', 1) };
const write = apply([operation('write', 'free/a')]);

describe('an intent', () => {
  it('to an unknown workspace is denied, even an operator’s', () =>
    given([]).when({ intent: open, by: '_op-me' }).thenMatches(denied('unknown_workspace')));

  it('of somebody who is no member is denied', () =>
    given([registered, published()]).when({ intent: open, by: 'stranger' }).thenMatches(denied('not_a_member')));

  it('of an operator needs no membership', () =>
    given([registered])
      .when({ intent: open, by: '_op-me' })
      .thenMatches([{ type: SessionOpened.type }]));

  it('that was withdrawn is denied', () =>
    given(ready)
      .when({ intent: write, findings: { withdrawn: true } })
      .thenMatches(denied('withdrawn')));
});

describe('a session', () => {
  it('is opened under the id that the client chose and the agent of the subject', () =>
    given([registered, memberAdded])
      .when({ intent: { ...open, model: { id: 'm' } } })
      .thenMatches([
        {
          type: SessionOpened.type,
          agent: 'writer',
          correlationid: open.intent_id,
          sessionid: id('ses', 2),
          data: {
            intent_id: id('int', 1),
            in_sequence: 7,
            attempt: 1,
            session_id: id('ses', 2),
            agent: 'writer',
            task: 'tidy up',
            conversation_id: null,
            model: { id: 'm' },
          },
        },
      ]));

  it('is not opened twice, completed or not', () => {
    const again = { ...open, session_id: id<never>('ses', 1) };
    given(ready).when({ intent: again }).thenMatches(denied('session_exists'));
    given([...ready, completed()])
      .when({ intent: again })
      .thenMatches(denied('session_exists'));
  });

  it('is completed by its agent', () =>
    given(ready)
      .when({ intent: complete })
      .thenMatches([{ type: SessionCompleted.type, data: { session_id: id('ses', 1) } }]));

  it('is not completed by others, operators included', () => {
    given([registered, opened(1, 'reviewer'), memberAdded])
      .when({ intent: complete })
      .thenMatches(denied('not_your_session'));
    given(ready).when({ intent: complete, by: '_op-me' }).thenMatches(denied('not_your_session'));
  });

  it('is completed once, and only where it was opened', () => {
    given([...ready, completed()])
      .when({ intent: complete })
      .thenMatches(denied('session_closed'));
    given([registered, memberAdded]).when({ intent: complete }).thenMatches(denied('unknown_session'));
  });

  it('writes only while it is active, and only for its agent', () => {
    given([...ready, completed()])
      .when({ intent: write })
      .thenMatches(denied('session_closed'));
    given(ready).when({ intent: write, by: '_op-me' }).thenMatches(denied('not_your_session'));
    given([registered, memberAdded, published()]).when({ intent: write }).thenMatches(denied('unknown_session'));
  });
});

describe('a logical operation', () => {
  it('is authorized with the redacted copy of the intent, its pins and rules', () =>
    given(ready)
      .when({
        intent: apply([operation('write', './free//a')], { tool: 'write_file', reason: 'r', traceparent: 'junk' }),
      })
      .thenMatches([
        {
          id: id('evt', 1),
          type: IntentAuthorized.type,
          traceparent: undefined,
          data: {
            intent_id: id('int', 1),
            in_sequence: 7,
            attempt: 1,
            logical_operation_id: id('lop', 1),
            session_id: id('ses', 1),
            model: { id: 'model-1' },
            tool: 'write_file',
            reason: 'r',
            operations: [
              {
                request: operation('write', './free//a'),
                canonical: 'free/a',
                class: 'overwrite',
                pin: { kind: 'any' },
                decision: { policy_version: 1, rule: 'free' },
              },
            ],
          },
        },
      ]));

  it('without a policy is denied', () =>
    given([registered, memberAdded, opened()])
      .when({ intent: write })
      .thenMatches(
        denied('no_policy', { message: expect.stringMatching(/: retrace policy publish team --workspace ws$/) }),
      ));

  it('is denied whole by one operation, and says which', () =>
    given(ready)
      .when({ intent: apply([operation('write', 'free/a', 1), operation('delete', 'closed/b', 2)], { reason: 'r' }) })
      .thenMatches(
        denied('rule_denies', {
          rule: 'closed',
          policy_version: 1,
          path: 'closed/b',
          action: 'delete',
          reason: 'r',
          retryable: false,
        }),
      ));

  it.each<[string, ErrorCode]>([
    ['', 'path_empty'],
    ['a\0b', 'path_nul'],
    ['/etc/passwd', 'path_absolute'],
    ['free/../closed/a', 'path_escapes'],
    ['free/a/', 'path_trailing_slash'],
    ['x/'.repeat(2000) + 'yy', 'path_too_long'],
    ['free/' + 'n'.repeat(256), 'name_too_long'],
    ['.retrace/staging', 'path_control_folder'],
    ['.RETRACE/staging', 'protected_path'],
    ['free/.git/hooks/x', 'protected_path'],
    ['elsewhere', 'no_rule'],
  ])('on %j is denied %s', (path, code) =>
    given(ready)
      .when({ intent: apply([operation('create', path)]) })
      .thenMatches(denied(code, { action: 'create' })),
  );

  it('spends each operation id once', () => {
    const twice = apply([operation('write', 'free/a', 1), operation('write', 'free/b', 1)]);
    given(ready).when({ intent: twice }).thenMatches(denied('duplicate_operation_id'));
    const before = authorized(2, [operation('write', 'free/z', 1)]);
    given([...ready, before])
      .when({ intent: write })
      .thenMatches(denied('duplicate_operation_id'));
    // Intent ids are each principal's own: one that has the same is not the same intent.
    const others = [
      stored(MemberAdded, { member: principal('reviewer'), added_by: principal('_op-me') }),
      opened(2, 'reviewer'),
    ];
    given([...ready, ...others, authorized(1, write.operations)])
      .when({ intent: { ...write, session_id: id<never>('ses', 2) }, by: 'reviewer' })
      .thenMatches(denied('duplicate_operation_id'));
  });

  it('waits for content, each hash once, and is denied without it', () => {
    const two = apply([
      operation('write', 'free/a', 1),
      operation('create', 'free/b', 2),
      operation('edit', 'free/c', 3, hash('c')),
    ]);
    given(ready)
      .when({ intent: two, findings: { blobs: undefined } })
      .then([{ kind: 'need_blobs', hashes: [hash('a'), hash('c')] }]);
    given(ready)
      .when({ intent: two, findings: { blobs: { missing: [hash('c')] } } })
      .thenMatches(denied('content_missing', { path: 'free/c', action: 'edit', retryable: true }));
    given(ready)
      .when({ intent: two, findings: { blobs: 'unavailable' } })
      .thenMatches(denied('workspace_unavailable', { retryable: true }));
  });

  it('without content asks for none', () =>
    given(ready)
      .when({ intent: apply([operation('mkdir', 'free/d')]), findings: { blobs: undefined } })
      .thenMatches([{ type: IntentAuthorized.type }]));

  it('is refused before it asks for content', () =>
    given(ready)
      .when({ intent: apply([operation('write', 'closed/a')]), findings: { blobs: undefined } })
      .thenMatches(denied('rule_denies')));

  describe('whose operations lie in a blob', () => {
    const blob = { hash: hash('f'), size: 100, count: 2 };
    const intent = apply([], { operations_blob: blob });
    const read = (...operations: OperationRequest[]): Partial<Findings> => ({
      operations: { kind: 'read', operations },
    });

    it('asks for them, unless it is refused anyway', () => {
      given(ready)
        .when({ intent })
        .then([{ kind: 'need_operations', blob }]);
      given([...ready, completed()])
        .when({ intent })
        .thenMatches(denied('session_closed'));
    });

    it('is decided as if it listed them', () => {
      const two = [operation('write', 'free/a', 1), operation('create', 'free/b', 2, hash('c'))];
      given(ready)
        .when({ intent, findings: read(...two) })
        .thenMatches([
          { type: IntentAuthorized.type, data: { operations: [{ request: two[0] }, { request: two[1] }] } },
        ]);
      given(ready)
        .when({ intent, findings: { ...read(...two), blobs: undefined } })
        .then([{ kind: 'need_blobs', hashes: [hash('a'), hash('c')] }]);
      given(ready)
        .when({ intent, findings: read(operation('write', 'closed/a')) })
        .thenMatches(denied('rule_denies'));
    });

    it('is denied where they cannot be had', () => {
      given(ready)
        .when({ intent, findings: { operations: { kind: 'malformed', message: 'no JSON array' } } })
        .thenMatches(denied('malformed_intent', { message: 'no JSON array', retryable: false }));
      given(ready)
        .when({ intent, findings: { operations: { kind: 'missing' } } })
        .thenMatches(denied('content_missing', { retryable: true }));
      given(ready)
        .when({ intent, findings: { operations: { kind: 'unavailable' } } })
        .thenMatches(denied('workspace_unavailable', { retryable: true }));
    });
  });
});
