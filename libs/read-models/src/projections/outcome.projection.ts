import type {
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
  LogicalOperationId,
  OperationApplied,
  OperationFailed,
  RollbackAuthorized,
  RollbackCompleted,
  SessionCompleted,
  SessionOpened,
  StoredEvent,
} from '@retrace/contracts';
import type { OutcomeEntity, OutcomeStatus } from '../entities/outcome.entity.js';
import type { RowOf } from '../entities/row-of.js';

type Row = RowOf<OutcomeEntity>;
type Answer = StoredEvent<
  | typeof IntentAuthorized
  | typeof RollbackAuthorized
  | typeof IntentDenied
  | typeof SessionOpened
  | typeof SessionCompleted
  | typeof LogicalOperationOpened
  | typeof LogicalOperationCommitted
  | typeof LogicalOperationAborted
>;
type Ending = StoredEvent<typeof OperationApplied | typeof OperationFailed | typeof RollbackCompleted>;

/** The way is free; the end is still to come. */
export function outcomeAuthorized(
  row: Row | undefined,
  event: StoredEvent<typeof IntentAuthorized | typeof RollbackAuthorized>,
): Row {
  if (row && !opensAttempt(row, event)) return row;
  return { ...begun(event, event.data.attempt), status: 'authorized', logicalOperationId: lopOf(event) };
}

export function outcomeDenied(row: Row | undefined, event: StoredEvent<typeof IntentDenied>): Row {
  return answered(row, event, 'denied');
}

type AtOnce = StoredEvent<
  typeof SessionOpened | typeof SessionCompleted | typeof LogicalOperationOpened | typeof LogicalOperationCommitted
>;

/** What policy alone does has come to its end with the event that says so. */
export function outcomeAtOnce(row: Row | undefined, event: AtOnce): Row {
  return answered(row, event, 'completed');
}

/** What was applied is still to be taken back: the rollback's report ends the intent. */
export function outcomeAborted(row: Row | undefined, event: StoredEvent<typeof LogicalOperationAborted>): Row {
  if (row && !opensAttempt(row, event)) return row;
  const logicalOperationId = event.data.rollback_logical_operation_id;
  return { ...begun(event, event.data.attempt), status: 'authorized', logicalOperationId };
}

/** Only this opens the next attempt. */
export function outcomeStale(
  row: Row | undefined,
  { sequence, data }: StoredEvent<typeof IntentStale>,
): Row | undefined {
  if (row?.status !== 'authorized' || row.attempt !== data.attempt) return row;
  return { ...row, status: 'undecided', sequence };
}

/** Parts of a rollback do not end its intent: its report does. */
export function outcomeApplied(row: Row | undefined, event: StoredEvent<typeof OperationApplied>): Row | undefined {
  if (event.data.kind === 'rollback') return row;
  const { operations: _, ...data } = event.data;
  return ended(row, event, 'applied', data);
}

/** Parts of a rollback do not end its intent: its report does. */
export function outcomeFailed(row: Row | undefined, event: StoredEvent<typeof OperationFailed>): Row | undefined {
  return event.data.kind === 'rollback' ? row : ended(row, event, 'failed', event.data);
}

export function outcomeRolledBack(row: Row | undefined, event: StoredEvent<typeof RollbackCompleted>): Row {
  return ended(row, event, 'completed', event.data);
}

function answered(row: Row | undefined, event: Answer, status: OutcomeStatus): Row {
  if (row && !opensAttempt(row, event)) return row;
  return { ...begun(event, event.data.attempt), status, type: event.type, data: event.data };
}

/** What is on the disk ends an intent, whatever was decided; the first end stays. */
function ended(row: Row | undefined, event: Ending, status: OutcomeStatus, data: unknown): Row {
  if (row && row.type !== null) return row;
  const { sequence, type } = event;
  return { ...(row ?? begun(event, 0)), status, sequence, logicalOperationId: lopOf(event), type, data };
}

/** Of all decisions for one attempt the first counts, and a further attempt needs the last one to be stale. */
const opensAttempt = (row: Row, { data }: Answer): boolean => row.status === 'undecided' && data.attempt > row.attempt;

const begun = ({ workspace, agent, sequence, data }: Answer | Ending, attempt: number): Row => ({
  workspace,
  agent,
  intentId: data.intent_id,
  attempt,
  status: 'undecided',
  sequence,
  logicalOperationId: null,
  type: null,
  data: null,
});

const lopOf = ({ data }: { data: { logical_operation_id: LogicalOperationId } }) => data.logical_operation_id;
