import {
  type EventData,
  type LeftOut,
  type LogicalOperationId,
  MAX_STEPS_PER_REQUEST,
  type OperationId,
  type Principal,
  type RestoreStep,
  type RollbackAuthorized,
  type RollbackPlan,
  type WorkspaceName,
} from '@retrace/contracts';

/** Who may run what, and who is answered: from the event that authorized it. */
export interface Authorization extends Pick<
  EventData<typeof RollbackAuthorized>,
  'rollback_id' | 'logical_operation_id' | 'intent_id' | 'plan_hash' | 'reason' | 'decision'
> {
  readonly workspace: WorkspaceName;
  readonly agent: Principal;
  readonly traceparent: string | undefined;
}

/** A plan, cut into parts that are each applied whole or not at all. */
export interface RollbackWork {
  readonly authorization: Authorization;
  readonly left_out: readonly LeftOut[];
  readonly parts: readonly RollbackPart[];
}

export interface RollbackPart {
  readonly steps: readonly RestoreStep[];
  /** Logical operations of which this part takes back the last. */
  readonly finishes: readonly LogicalOperationId[];
}

/** `ownerOf` knows the logical operation of each operation that the plan takes back. */
export function workOf(
  authorization: Authorization,
  plan: RollbackPlan,
  ownerOf: (operation: OperationId) => LogicalOperationId | undefined,
): RollbackWork {
  const lastPart = new Map<LogicalOperationId, number>();
  for (const [index, { compensates }] of plan.steps.entries())
    for (const operation of compensates) {
      const owner = ownerOf(operation);
      if (owner) lastPart.set(owner, Math.floor(index / MAX_STEPS_PER_REQUEST));
    }
  const count = Math.ceil(plan.steps.length / MAX_STEPS_PER_REQUEST);
  const parts = Array.from({ length: count }, (_, part) => ({
    steps: plan.steps.slice(part * MAX_STEPS_PER_REQUEST, (part + 1) * MAX_STEPS_PER_REQUEST),
    // Of one whose operations are unknown only the end is certain.
    finishes: plan.undoes.filter((id) => (lastPart.get(id) ?? count - 1) === part),
  }));
  return { authorization, left_out: plan.left_out, parts };
}
