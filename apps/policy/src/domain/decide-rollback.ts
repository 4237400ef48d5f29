import {
  type ActionClass,
  isOperator,
  RollbackAuthorized,
  type RollbackIntent,
  type RollbackPlan,
  type RestoreStep,
} from '@retrace/contracts';
import type { Decision, DecisionInput, PolicyView, Verdict } from './decision-input.js';
import { answeredBy, decided, denied, envelopeOf, type Refusal } from './decision-events.js';

type Input = DecisionInput<RollbackIntent>;

/** Operators take back anything, agents what they did themselves; guards stand for both. */
export function* decideRollback(input: Input): Generator<void, Decision> {
  const { intent, asked, findings } = input;
  const { plan } = findings;
  if (plan === undefined) return { kind: 'need_plan', planHash: intent.plan_hash };
  if (plan === 'unavailable') return denied(asked, intent, noAnswer());
  if (plan === 'unknown' || plan.workspace !== asked.workspace) return denied(asked, intent, unknownPlan(intent));
  const judged = yield* judgePlan(input, plan);
  return 'code' in judged ? denied(asked, intent, judged) : authorize(input, judged);
}

interface Reference {
  readonly policy_version: number;
  readonly rule: string;
}

function* judgePlan({ asked, state }: Input, plan: RollbackPlan): Generator<void, Reference | Refusal> {
  const { principal } = asked;
  const { policy } = state;
  const operator = isOperator(principal);
  if (!operator) {
    const other = plan.owners.find((owner) => owner !== principal);
    if (other !== undefined || (plan.steps.length > 0 && plan.owners.length === 0))
      return notYours(other ?? 'nobody known');
    if (!policy) return { code: 'no_policy', message: `${asked.workspace} has no policy, so nothing is allowed` };
  }
  for (const step of policy ? plan.steps : []) {
    yield;
    const refusal = policy && judgeStep(step, policy, operator);
    if (refusal) return refusal;
  }
  return { policy_version: policy?.version ?? 0, rule: operator ? 'operator' : 'own work' };
}

function judgeStep(step: RestoreStep, policy: PolicyView, operator: boolean): Refusal | undefined {
  const actionClass = classOf(step);
  const verdict = policy.judge(actionClass, step.path);
  // Restoring to nothing removes what the undone work itself created: no rule is needed for that, unless others' work goes.
  const excused = operator || (actionClass === 'delete' && step.how !== 'force');
  if (verdict.allowed || (excused && !isGuard(verdict))) return undefined;
  return {
    code: verdict.code ?? 'rule_denies',
    message: verdict.message,
    rule: verdict.rule,
    policyVersion: policy.version,
    path: step.path,
    action: 'restore',
  };
}

const isGuard = ({ rule }: Verdict): boolean => rule.startsWith('guard:');

function classOf({ expect, restore }: RestoreStep): ActionClass {
  if (restore.kind === 'absent') return 'delete';
  return expect.kind === 'absent' ? 'create' : 'overwrite';
}

function authorize({ intent, asked }: Input, decision: Reference): Decision {
  return decided({
    ...envelopeOf(asked, intent),
    type: RollbackAuthorized.type,
    data: {
      ...answeredBy(asked, intent),
      rollback_id: asked.rollbackId,
      logical_operation_id: asked.logicalOperationId,
      plan_hash: intent.plan_hash,
      requested_by: asked.principal,
      reason: intent.reason ?? null,
      decision,
    },
  });
}

const unknownPlan = ({ plan_hash }: RollbackIntent): Refusal => ({
  code: 'unknown_plan',
  message: `no plan ${plan_hash.slice(0, 12)}… is kept for this workspace; make the plan again`,
});

const notYours = (owner: string): Refusal => ({
  code: 'not_yours',
  message: `the plan takes back work of ${owner}; agents take back their own alone. Ask an operator`,
});

const noAnswer = (): Refusal => ({
  code: 'workspace_unavailable',
  message: 'the rollback service does not answer; see: retrace status. Send a new intent once it does',
  retryable: true,
});
