import type { ActionClass, AuthorizedOperation, Fact, OperationRequest, Pin, WorkspacePath } from '@retrace/contracts';
import type { Refusal } from './decision-events.js';
import type { PolicyView, StateView, Verdict } from './decision-input.js';
import type { Leaves } from './rows.js';

/** An operation with the one spelling of its path, links followed where they were asked for. */
export interface PlacedOperation {
  readonly request: OperationRequest;
  readonly canonical: WorkspacePath;
  /** What execution says of `canonical`, where it was asked. */
  readonly fact: Fact | undefined;
}

export type Judged =
  | { readonly kind: 'allowed'; readonly operations: AuthorizedOperation[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'need_facts'; readonly paths: WorkspacePath[] };

/** One operation's answer: the class it came to, the verdict on it, and what that rests on. */
type Answer = { readonly class: ActionClass; readonly verdict: Verdict; readonly pin: Pin } | 'need_fact';

const ANY: Pin = { kind: 'any' };

/**
 * Judges operations in order, each with knowledge of those before it: what an earlier one of the same intent leaves is
 * certain (all or none), so a later one on that path needs neither facts nor a pin.
 */
export function judgeOperations(
  placed: readonly PlacedOperation[],
  policy: PolicyView,
  state: StateView,
  attempt: number,
): Judged {
  const before = new Map<string, Leaves>();
  const operations: AuthorizedOperation[] = [];
  const unknown: WorkspacePath[] = [];
  for (const operation of placed) {
    const { request, canonical } = operation;
    const answer = judge(operation, policy, existence(operation, before, state), attempt);
    if (answer === 'need_fact') unknown.push(canonical);
    else if (!answer.verdict.allowed) return { kind: 'refused', refusal: refusalOf(operation, answer.verdict, policy) };
    else {
      const decision = { policy_version: policy.version, rule: answer.verdict.rule };
      operations.push({ request, canonical, class: answer.class, pin: answer.pin, decision });
    }
    before.set(canonical, request.action === 'delete' ? 'nothing' : 'something');
  }
  return unknown.length > 0 ? { kind: 'need_facts', paths: unknown } : { kind: 'allowed', operations };
}

interface Existence {
  readonly exists: boolean;
  readonly pin: Pin;
}

/** What is known of the path without asking: this intent, then work in flight, then facts. */
function existence(
  { canonical, fact }: PlacedOperation,
  before: ReadonlyMap<string, Leaves>,
  state: StateView,
): Existence | undefined {
  const left = before.get(canonical);
  if (left !== undefined) return { exists: left === 'something', pin: ANY };
  const inflight = state.newestInflight(canonical);
  if (inflight)
    return { exists: inflight.leaves === 'something', pin: { kind: 'after', operation_id: inflight.operation_id } };
  return fact && seen(fact);
}

const seen = ({ state, recorded }: Fact): Existence =>
  state.kind === 'absent'
    ? { exists: false, pin: { kind: 'absent', assumed: false } }
    : { exists: true, pin: { kind: 'state', state, sequence: recorded?.sequence ?? null } };

function judge(
  { request, canonical }: PlacedOperation,
  policy: PolicyView,
  known: Existence | undefined,
  attempt: number,
): Answer {
  const as = (actionClass: ActionClass): Answer => ({
    class: actionClass,
    verdict: policy.judge(actionClass, canonical),
    pin: ANY,
  });
  switch (request.action) {
    case 'create':
    case 'mkdir':
      return as('create');
    case 'edit':
      return as('overwrite');
    case 'delete':
      return as('delete');
    case 'write':
      return judgeWrite(canonical, policy, known, attempt);
  }
}

/** A write creates or overwrites: nothing is asked where both have the same answer. */
function judgeWrite(path: WorkspacePath, policy: PolicyView, known: Existence | undefined, attempt: number): Answer {
  const create = policy.judge('create', path);
  const overwrite = policy.judge('overwrite', path);
  if (create.allowed === overwrite.allowed)
    return known?.exists === false
      ? { class: 'create', verdict: create, pin: ANY }
      : { class: 'overwrite', verdict: overwrite, pin: ANY };
  if (known)
    return known.exists
      ? { class: 'overwrite', verdict: overwrite, pin: known.pin }
      : { class: 'create', verdict: create, pin: known.pin };
  // An assumption that failed once is looked up the next time.
  if (create.allowed && attempt === 1)
    return { class: 'create', verdict: create, pin: { kind: 'absent', assumed: true } };
  return 'need_fact';
}

function refusalOf({ request, canonical }: PlacedOperation, verdict: Verdict, policy: PolicyView): Refusal {
  const typed = request.path === canonical ? '' : ` (typed as ${JSON.stringify(request.path)})`;
  return {
    code: verdict.code ?? 'rule_denies',
    message: `${verdict.message}${typed}`,
    rule: verdict.rule,
    policyVersion: policy.version,
    path: canonical,
    action: request.action,
  };
}
