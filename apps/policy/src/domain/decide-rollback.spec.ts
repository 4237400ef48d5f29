import { describe, it } from '@jest/globals';
import {
  ABSENT,
  type ErrorCode,
  IntentDenied,
  type PathState,
  RollbackAuthorized,
  type RollbackIntent,
  type RollbackPlan,
} from '@retrace/contracts';
import { file, given, hash, id, memberAdded, ready, registered } from './testing.js';

const intent: RollbackIntent = {
  type: 'rollback',
  intent_id: id('int', 1),
  plan_hash: hash('f'),
  reason: 'wrong file',
};
const denied = (code: ErrorCode, more: object = {}) => [{ type: IntentDenied.type, data: { code, ...more } }];
const authorized = (rule: string, version = 1) => [
  {
    type: RollbackAuthorized.type,
    data: {
      intent_id: id('int', 1),
      rollback_id: id('rbk', 1),
      logical_operation_id: id('lop', 1),
      plan_hash: hash('f'),
      reason: 'wrong file',
      decision: { rule, policy_version: version },
    },
  },
];

const plan = (owners: string[], steps: [path: string, expect: PathState, restore: PathState][]): RollbackPlan => ({
  plan_hash: hash('f'),
  workspace: 'ws',
  requested_by: 'writer' as never,
  selection: { by: 'session', session_id: id('ses', 1) },
  except: [],
  options: { merge: false, force: false, skip: false, all_or_none: false },
  at_sequence: 1,
  undoes: [],
  owners: owners as never,
  steps: steps.map(([path, expect, restore]) => ({
    compensates: [id('op', 1)],
    path: path as never,
    expect,
    restore,
    how: 'restore',
    keeps: [],
  })),
  step_count: steps.length,
  left_out: [],
});

describe('a rollback', () => {
  it('asks for its plan', () =>
    given(ready)
      .when({ intent })
      .then([{ kind: 'need_plan', planHash: hash('f') }]));

  it('without a plan, or with another workspace’s, is denied', () => {
    given(ready)
      .when({ intent, findings: { plan: 'unknown' } })
      .thenMatches(denied('unknown_plan'));
    given(ready)
      .when({ intent, findings: { plan: { ...plan(['writer'], []), workspace: 'other' } } })
      .thenMatches(denied('unknown_plan'));
    given(ready)
      .when({ intent, findings: { plan: 'unavailable' } })
      .thenMatches(denied('workspace_unavailable', { retryable: true }));
  });

  it('of one’s own work is authorized', () =>
    given(ready)
      .when({ intent, findings: { plan: plan(['writer'], [['free/a', file(), file('c')]]) } })
      .thenMatches(authorized('own work')));

  it('with nothing to do is authorized: the report says so', () =>
    given(ready)
      .when({ intent, findings: { plan: plan([], []) } })
      .thenMatches(authorized('own work')));

  it('of others’ work is for operators', () => {
    const others = plan(['writer', 'reviewer'], [['elsewhere', file(), file('c')]]);
    given(ready)
      .when({ intent, findings: { plan: others } })
      .thenMatches(denied('not_yours'));
    given(ready)
      .when({ intent, by: '_op-me', findings: { plan: others } })
      .thenMatches(authorized('operator'));
    given([registered])
      .when({ intent, by: '_op-me', findings: { plan: others } })
      .thenMatches(authorized('operator', 0));
  });

  it('whose owners nobody knows is not an agent’s', () =>
    given(ready)
      .when({ intent, findings: { plan: plan([], [['free/a', file(), ABSENT]]) } })
      .thenMatches(denied('not_yours')));

  it('takes back an own creation where delete is not allowed', () =>
    given(ready)
      .when({ intent, findings: { plan: plan(['writer'], [['grows/a', file(), ABSENT]]) } })
      .thenMatches(authorized('own work')));

  it('restores only what the rules let the agent write', () => {
    const restores = (path: string, from: PathState) => ({
      plan: plan(
        ['writer'],
        [
          ['free/a', file(), ABSENT],
          [path, from, file('c')],
        ],
      ),
    });
    given(ready)
      .when({ intent, findings: restores('grows/a', file()) })
      .thenMatches(denied('no_rule', { path: 'grows/a', action: 'restore', policy_version: 1 }));
    given(ready)
      .when({ intent, findings: restores('grows/a', ABSENT) })
      .thenMatches(authorized('own work'));
    given(ready)
      .when({ intent, findings: restores('fixed/a', ABSENT) })
      .thenMatches(denied('no_rule', { path: 'fixed/a' }));
  });

  it('never touches the protected domain, an operator’s neither', () => {
    const git = { plan: plan(['writer'], [['.git/hooks/x', file(), ABSENT]]) };
    given(ready).when({ intent, findings: git }).thenMatches(denied('protected_path'));
    given(ready).when({ intent, by: '_op-me', findings: git }).thenMatches(denied('protected_path'));
  });

  it('of an agent needs a policy', () =>
    given([registered, memberAdded])
      .when({ intent, findings: { plan: plan(['writer'], [['free/a', file(), ABSENT]]) } })
      .thenMatches(denied('no_policy')));

  it('over what others left needs the rule for it, even where nothing is left in its place', () => {
    const going = plan(['writer'], [['elsewhere', file(), ABSENT]]);
    given(ready)
      .when({ intent, findings: { plan: going } })
      .thenMatches(authorized('own work'));
    const forced = { ...going, steps: going.steps.map((step) => ({ ...step, how: 'force' as const })) };
    given(ready)
      .when({ intent, findings: { plan: forced } })
      .thenMatches(denied('no_rule', { path: 'elsewhere' }));
    given(ready)
      .when({ intent, by: '_op-me', findings: { plan: forced } })
      .thenMatches(authorized('operator'));
  });

  it('is judged to its last step', () => {
    const many = Array.from({ length: 3000 }, (_, index): [string, PathState, PathState] => [
      `free/${index}`,
      file(),
      ABSENT,
    ]);
    given(ready)
      .when({ intent, findings: { plan: plan(['writer'], [...many, ['free/.git/x', file(), ABSENT]]) } })
      .thenMatches(denied('protected_path', { path: 'free/.git/x' }));
  });
});
