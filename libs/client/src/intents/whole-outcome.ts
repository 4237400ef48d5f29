import {
  type CallDefinition,
  type LogicalOperationId,
  OperationApplied,
  type OperationRecord,
  OperationRecordSchema,
  QueryOperation,
  type QueryOutcome,
} from '@retrace/contracts';
import type { z } from 'zod';

export type OutcomeAnswer = z.infer<(typeof QueryOutcome)['reply']>;

/** A call in the outcome's workspace. */
export type Ask = <Q extends z.ZodType, R extends z.ZodType>(
  call: CallDefinition<Q, R>,
  request: z.input<Q>,
) => Promise<z.infer<R>>;

/** What projection answers of an event with more records than one answer holds. */
interface Cut {
  readonly logical_operation_id: LogicalOperationId;
  readonly operations: readonly OperationRecord[];
  readonly operation_count: number;
}

/** How many records the event has, where the answer does not hold all of them. */
export function operationCountOf(data: unknown): number | undefined {
  const { operation_count } = (data ?? {}) as Partial<Cut>;
  return typeof operation_count === 'number' ? operation_count : undefined;
}

/**
 * The outcome with all records of its event: those that one answer does not hold are read on. Where they cannot be
 * read, the outcome as it was answered, with its `operation_count`.
 */
export async function wholeOutcome(answer: OutcomeAnswer, ask: Ask): Promise<OutcomeAnswer> {
  const { type, sequence, data } = answer;
  if (type !== OperationApplied.type || sequence === null || operationCountOf(data) === undefined) return answer;
  const { operation_count, ...event } = data as Cut;
  const missing = operation_count - event.operations.length;
  // What is behind them in the logical operation is the rest of the event, or, of an open one, another part.
  const read = await recordsFrom(event, sequence, ask).catch(() => []);
  if (missing > 0 && read.length < missing) return answer;
  const rest = missing > 0 ? read.slice(-missing) : [];
  return { ...answer, data: { ...event, operations: [...event.operations, ...rest] } };
}

/** The event's records, in order, at the places of the logical operation behind as many as are known. */
async function recordsFrom(
  { logical_operation_id: id, operations }: Omit<Cut, 'operation_count'>,
  sequence: number,
  ask: Ask,
): Promise<OperationRecord[]> {
  const found: OperationRecord[] = [];
  for (let from = operations.length; ;) {
    const page = await ask(QueryOperation, { id, from });
    for (const detail of page.operations) if (detail.sequence === sequence) found.push(asRecorded(detail, sequence));
    from += page.operations.length;
    const later = page.operations.some((detail) => detail.sequence > sequence);
    if (later || page.operations.length === 0 || from >= page.total) return found;
  }
}

/** As the event holds it: `self` for its own sequence. */
function asRecorded(detail: unknown, sequence: number): OperationRecord {
  const record = OperationRecordSchema.parse(detail);
  const own = <S extends { readonly sequence: unknown }>(snapshot: S): S =>
    snapshot.sequence === sequence ? { ...snapshot, sequence: 'self' } : snapshot;
  return {
    ...record,
    state_snapshot_before: own(record.state_snapshot_before),
    state_snapshot_after: own(record.state_snapshot_after),
  };
}
