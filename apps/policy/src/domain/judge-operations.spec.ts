import { describe, it } from '@jest/globals';
import { type ErrorCode, IntentAuthorized, IntentDenied, type OperationRequest, type Pin } from '@retrace/contracts';
import {
  applied,
  apply,
  authorized,
  fact,
  factsOf,
  failed,
  file,
  given,
  id,
  operation,
  ready,
  wentStale,
} from './testing.js';

type Judged = [actionClass: string, pin: Pin];
const judged = (...operations: Judged[]) => [
  {
    type: IntentAuthorized.type,
    data: { operations: operations.map(([actionClass, pin]) => ({ class: actionClass, pin })) },
  },
];
const denied = (code: ErrorCode, more: object = {}) => [{ type: IntentDenied.type, data: { code, ...more } }];
const any: Pin = { kind: 'any' };
const assumedAbsent: Pin = { kind: 'absent', assumed: true };
const after = (number: number): Pin => ({ kind: 'after', operation_id: id('op', number) });

describe('classes and pins', () => {
  it.each<[OperationRequest['action'], string]>([
    ['create', 'create'],
    ['mkdir', 'create'],
    ['edit', 'overwrite'],
    ['delete', 'delete'],
    ['write', 'overwrite'],
  ])('%s is judged as %s without a look', (action, actionClass) =>
    given(ready)
      .when({ intent: apply([operation(action, 'free/a')]) })
      .thenMatches(judged([actionClass, any])),
  );

  it('an edit needs the right to read as well: its answer tells whether a text stands there', () => {
    for (const action of ['write', 'append', 'chmod'] as const)
      given(ready)
        .when({ intent: apply([operation(action, 'blind/a')]) })
        .thenMatches(judged(['overwrite', any]));
    given(ready)
      .when({ intent: apply([operation('edit', 'blind/a')]) })
      .thenMatches(denied('no_rule', { path: 'blind/a' }));
  });

  it('a write where both classes are refused is denied without a look', () =>
    given(ready)
      .when({ intent: apply([operation('write', 'closed/a')]) })
      .thenMatches(denied('rule_denies')));

  describe('a write where only create is allowed', () => {
    const intent = apply([operation('write', 'grows/a', 9)]);

    it('is pinned to "absent", assumed', () =>
      given(ready)
        .when({ intent })
        .thenMatches(judged(['create', assumedAbsent])));

    it('follows what is in flight there', () => {
      const creates = authorized(2, [operation('create', 'grows/a', 2)]);
      given([...ready, creates])
        .when({ intent })
        .thenMatches(denied('no_rule', { path: 'grows/a' }));
      const deletes = authorized(3, [operation('delete', 'grows/a', 3)]);
      given([...ready, creates, deletes])
        .when({ intent })
        .thenMatches(judged(['create', after(3)]));
    });

    it('forgets what ended, applied or failed', () => {
      const creates = authorized(2, [operation('create', 'grows/a', 2)]);
      given([...ready, creates, applied(2)])
        .when({ intent })
        .thenMatches(judged(['create', assumedAbsent]));
      given([...ready, creates, failed(2)])
        .when({ intent })
        .thenMatches(judged(['create', assumedAbsent]));
    });

    it('is looked up once the assumption failed', () => {
      const history = [...ready, authorized(1, intent.operations), wentStale(1, 'assumed_absent')];
      given(history)
        .when({ intent, attempt: 2 })
        .then([{ kind: 'need_facts', paths: ['grows/a'], follow: false }]);
      given(history)
        .when({ intent, attempt: 2, findings: factsOf([fact('grows/a', file())]) })
        .thenMatches(denied('no_rule'));
      given(history)
        .when({ intent, attempt: 2, findings: factsOf([fact('grows/a')]) })
        .thenMatches(judged(['create', { kind: 'absent', assumed: false }]));
    });
  });

  describe('a write where only overwrite is allowed', () => {
    const intent = apply([operation('write', 'fixed/a', 9)]);

    it('asks what stands there', () =>
      given(ready)
        .when({ intent })
        .then([{ kind: 'need_facts', paths: ['fixed/a'], follow: false }]));

    it('is pinned to what stands there and who left it', () => {
      const recorded = {
        state: file(),
        sequence: 5,
        operation_id: id<never>('op', 1),
        session_id: null,
        agent: 'x' as never,
      };
      given(ready)
        .when({ intent, findings: factsOf([fact('fixed/a', file(), { recorded })]) })
        .thenMatches(judged(['overwrite', { kind: 'state', state: file(), sequence: 5 }]));
      given(ready)
        .when({ intent, findings: factsOf([fact('fixed/a', file())]) })
        .thenMatches(judged(['overwrite', { kind: 'state', state: file(), sequence: null }]));
    });

    it('is a creation, and denied, where nothing stands', () =>
      given(ready)
        .when({ intent, findings: factsOf([fact('fixed/a')]) })
        .thenMatches(denied('no_rule', { path: 'fixed/a' })));

    it('trusts work in flight before facts', () =>
      given([...ready, authorized(2, [operation('edit', 'fixed/a', 2)])])
        .when({ intent, findings: factsOf([fact('fixed/a')]) })
        .thenMatches(judged(['overwrite', after(2)])));

    it('is denied when nobody says what stands there', () =>
      given(ready)
        .when({ intent, findings: { facts: 'unavailable' } })
        .thenMatches(denied('workspace_unavailable', { retryable: true })));
  });

  it('asks for all unknown paths at once, but not where one operation is refused anyway', () => {
    const two = [operation('write', 'fixed/a', 1), operation('write', 'fixed/b', 2)];
    given(ready)
      .when({ intent: apply(two) })
      .then([{ kind: 'need_facts', paths: ['fixed/a', 'fixed/b'], follow: false }]);
    given(ready)
      .when({ intent: apply([...two, operation('delete', 'closed/c', 3)]) })
      .thenMatches(denied('rule_denies'));
  });

  it('knows within one intent what an earlier operation leaves', () => {
    const removed = [operation('delete', 'free/x', 1), operation('write', 'free/x', 2)];
    given(ready)
      .when({ intent: apply(removed) })
      .thenMatches(judged(['delete', any], ['create', any]));
    const again = [operation('write', 'grows/a', 1), operation('write', 'grows/a', 2)];
    given(ready)
      .when({ intent: apply(again) })
      .thenMatches(denied('no_rule', { path: 'grows/a' }));
    const folder = [operation('mkdir', 'free/d', 1), operation('create', 'free/d/a', 2)];
    given(ready)
      .when({ intent: apply(folder) })
      .thenMatches(judged(['create', any], ['create', any]));
  });
});

describe('an intent that was sent back', () => {
  const intent = apply([
    operation('write', 'free/a', 1),
    operation('delete', 'free/l', 2),
    operation('create', 'top', 3),
  ]);
  const history = [...ready, authorized(1, intent.operations), wentStale(1, 'link')];
  const findings = { follow: true };

  it('over a link asks for every path with links followed; of a name itself only its folder', () =>
    given(history)
      .when({ intent, attempt: 2, findings })
      .then([{ kind: 'need_facts', paths: ['free/a', 'free'], follow: true }]));

  it('is judged by the object, not by the spelling', () => {
    const facts = (target: string) =>
      factsOf([fact('free/a', file(), { canonical: target as never }), fact('free')], true);
    const two = apply(intent.operations.slice(0, 2));
    given(history)
      .when({ intent: two, attempt: 2, findings: { ...findings, ...facts('closed/a') } })
      .thenMatches(denied('rule_denies', { path: 'closed/a' }));
    given(history)
      .when({ intent: two, attempt: 2, findings: { ...findings, ...facts('free/b') } })
      .thenMatches([{ data: { attempt: 2, operations: [{ canonical: 'free/b' }, { canonical: 'free/l' }] } }]);
    given(history)
      .when({ intent: two, attempt: 2, findings: { ...findings, ...facts('.git/config') } })
      .thenMatches(denied('protected_path'));
  });

  it('sets the mode of what a link points to, where that may be overwritten', () => {
    const chmod = apply([operation('chmod', 'free/a', 1)]);
    const facts = (target: string) => factsOf([fact('free/a', file(), { canonical: target as never })], true);
    const judgedAt = (target: string) =>
      given(history).when({ intent: chmod, attempt: 2, findings: { ...findings, ...facts(target) } });
    judgedAt('closed/a').thenMatches(denied('rule_denies', { path: 'closed/a', action: 'chmod' }));
    judgedAt('free/b').thenMatches([{ data: { operations: [{ canonical: 'free/b', class: 'overwrite' }] } }]);
  });

  it('is denied where a link leads out', () => {
    const problem = { code: 'outside_root', message: 'leads out of the workspace' };
    given(history)
      .when({
        intent,
        attempt: 2,
        findings: { ...findings, ...factsOf([fact('free/a', undefined, { problem }), fact('free')], true) },
      })
      .thenMatches(denied('outside_root', { path: 'free/a' }));
  });

  it('asks again with links followed when facts show one', () => {
    const one = apply([operation('write', 'fixed/a')]);
    given(ready)
      .when({ intent: one, findings: factsOf([fact('fixed/a', { kind: 'link', target: '../free/a' })]) })
      .then([{ kind: 'need_facts', paths: ['fixed/a'], follow: true }]);
  });

  it('looks for no content again and keeps its operation ids', () =>
    given(history)
      .when({ intent: apply([operation('write', 'free/a', 1)]), attempt: 2, findings: { blobs: undefined } })
      .thenMatches(judged(['overwrite', any])));

  it('is denied after the third attempt', () =>
    given(ready)
      .when({ intent, attempt: 4 })
      .thenMatches(denied('stale_too_often', { attempt: 4, retryable: true })));
});
