import {
  type ActionClass,
  type AuthorizedOperation,
  isErrorCode,
  MAX_PATHS_PER_LOGICAL_OPERATION,
  type OperationId,
  type OperationRequest,
  type Pin,
  type WorkspacePath,
} from '@retrace/contracts';
import type { Refusal } from '../decision-events.js';
import type { PolicyView, Reach, StateView, Tree, Verdict } from '../decision-input.js';
import type { PlacedOperation } from '../place-operations.js';
import { type Standing, WorkingTree } from '../working-tree.js';

export const ANY: Pin = { kind: 'any' };

/**
 * One part is refused, and with it the whole. `certain`: whatever stands there; else it may be wrong while something
 * before it is not looked up yet.
 */
export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly certain = false,
  ) {
    super(refusal.message);
  }
}

/** What must be looked up before an operation can be judged. */
export type Unknown =
  | { readonly kind: 'fact'; readonly path: WorkspacePath }
  | { readonly kind: 'trees'; readonly reaches: readonly Reach[] };

/** Says now and then that others may run, and answers what an asked operation does. */
export type Judging = Generator<void, AuthorizedOperation[] | Unknown>;

/** What the operations of one intent are judged with. */
export class Scope {
  readonly tree: WorkingTree;
  private count = 0;

  constructor(
    readonly policy: PolicyView,
    readonly state: StateView,
    readonly attempt: number,
    readonly partId: (asked: OperationId, path: string) => OperationId,
    trees: ReadonlyMap<string, Tree>,
  ) {
    this.tree = new WorkingTree(trees.values());
  }

  /** Judges one class at one path; throws {@link Refused}. */
  judge(placed: PlacedOperation, actionClass: ActionClass, path: WorkspacePath): AuthorizedOperation['decision'] {
    const certain = path === placed.canonical || path === placed.from;
    return this.accept(placed, path, this.policy.judge(actionClass, path), certain);
  }

  accept(
    placed: PlacedOperation,
    path: WorkspacePath,
    verdict: Verdict,
    certain: boolean,
  ): AuthorizedOperation['decision'] {
    if (!verdict.allowed) throw new Refused(this.refusalOf(placed, path, verdict), certain);
    return { policy_version: this.policy.version, rule: verdict.rule };
  }

  /** An operation on one path. */
  one(
    placed: PlacedOperation,
    actionClass: ActionClass,
    path: WorkspacePath,
    changed: Partial<AuthorizedOperation> = {},
  ): AuthorizedOperation {
    const decision = this.judge(placed, actionClass, path);
    return { request: placed.request, canonical: path, class: actionClass, pin: ANY, decision, ...changed };
  }

  /** What stands at a path with all that is below; its kind alone is enough where it is no folder. */
  whole(path: WorkspacePath): Standing | undefined {
    const standing = this.tree.at(path);
    return standing?.kind === 'directory' && !this.tree.knowsBelow(path) ? undefined : standing;
  }

  /** Throws {@link Refused} where more is reached than one logical operation may. */
  reach({ request }: PlacedOperation, paths: number): void {
    this.count += paths;
    if (this.count > MAX_PATHS_PER_LOGICAL_OPERATION) throw new Refused(tooManyPaths(request, this.count));
  }

  private refusalOf({ request, canonical, from }: PlacedOperation, path: string, verdict: Verdict): Refusal {
    const { path: typed, action } = request;
    const reached = path !== canonical && path !== from;
    const spelled = path === typed || ('to' in request && path === request.to);
    const how = reached
      ? ` (reached by ${action} of ${JSON.stringify(typed)})`
      : ` (typed as ${JSON.stringify(typed)})`;
    return {
      code: verdict.code ?? 'rule_denies',
      message: `${verdict.message}${spelled ? '' : how}`,
      rule: verdict.rule,
      policyVersion: this.policy.version,
      path,
      action,
    };
  }
}

/** Refuses what lies there and can be neither looked at nor carried. */
export function refuseOdd({ request }: PlacedOperation, path: string, { kind, problem, found }: Standing): void {
  if (problem)
    throw new Refused({
      code: isErrorCode(problem.code) ? problem.code : 'io',
      message: `${path}: ${problem.message}. It is reached by ${request.action} ${JSON.stringify(request.path)}`,
      path,
      action: request.action,
    });
  if (kind !== 'other') return;
  const type = found?.kind === 'other' ? found.type : 'device';
  throw new Refused({
    code: 'not_a_file',
    message: `${path}: is a ${type}, which Retrace does not touch; it is reached by ${request.action} ${JSON.stringify(request.path)}. Take it away by hand, or name what else to ${request.action}`,
    path,
    action: request.action,
  });
}

export const tooManyPaths = ({ path, action }: Pick<OperationRequest, 'path' | 'action'>, count: number): Refusal => ({
  code: 'too_many_paths',
  message: `${path}: with it the intent changes at least ${count} paths, at most ${MAX_PATHS_PER_LOGICAL_OPERATION} are taken; ${action} its parts in several intents`,
  path,
  action,
});
