import type {
  EventData,
  LeftOut,
  LogicalOperationId,
  OperationId,
  Principal,
  RestoreStep,
  RollbackAuthorized,
  RollbackPlan,
  WorkspaceName,
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

/** A plan, cut into parts that are each applied whole or not at all. Their steps stay with the plan. */
export interface RollbackWork {
  readonly authorization: Authorization;
  readonly left_out: readonly LeftOut[];
  readonly parts: readonly RollbackPart[];
  /** Parts that were applied before this plan was made: the first one here has the number after them. */
  readonly applied: number;
}

export interface RollbackPart {
  /** Logical operations of which this part takes back the last. */
  readonly finishes: readonly LogicalOperationId[];
}

/** `ownerOf` knows the logical operation of each operation that the plan takes back. */
export function workOf(
  authorization: Authorization,
  { undoes, left_out }: Pick<RollbackPlan, 'undoes' | 'left_out'>,
  parts: readonly (readonly RestoreStep[])[],
  ownerOf: (operation: OperationId) => LogicalOperationId | undefined,
  applied = 0,
): RollbackWork {
  const lastPart = new Map<LogicalOperationId, number>();
  for (const [index, steps] of parts.entries())
    for (const operation of steps.flatMap(({ compensates }) => compensates)) {
      const owner = ownerOf(operation);
      if (owner) lastPart.set(owner, index);
    }
  const finishes = parts.map((): LogicalOperationId[] => []);
  // Of one whose operations are unknown only the end is certain.
  for (const id of undoes) finishes[lastPart.get(id) ?? parts.length - 1]?.push(id);
  return { authorization, left_out, applied, parts: finishes.map((ids) => ({ finishes: ids })) };
}
