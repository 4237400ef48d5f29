import type {
  DecisionReferenceSchema,
  IntentAuthorized,
  IntentStale,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationId,
  LogicalOperationOpened,
  OperationApplied,
  OperationFailed,
  RollbackAuthorized,
  StoredEvent,
} from '@retrace/contracts';
import type { z } from 'zod';
import type { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import type { RowOf } from '../entities/row-of.js';

type Row = RowOf<LogicalOperationEntity>;
type DecisionReference = z.infer<typeof DecisionReferenceSchema>;

/** A later attempt plans anew; a further part of an open one adds to it; what has ended stays as it ended. */
export function planned(row: Row | undefined, event: StoredEvent<typeof IntentAuthorized>): Row {
  const { data } = event;
  const rules = data.operations.map((operation) => operation.decision);
  if (row?.opening) return { ...row, ...alsoRuled(row, rules), tool: row.tool ?? data.tool };
  if (row && hasEnded(row)) return row;
  const { tool, reason } = data;
  return { ...begun(event, data.logical_operation_id, data.session_id), ...ruling(rules), tool, reason };
}

/** The first opening counts. */
export function opened(row: Row | undefined, event: StoredEvent<typeof LogicalOperationOpened>): Row {
  if (row) return row;
  const { logical_operation_id, session_id, reason } = event.data;
  return { ...begun(event, logical_operation_id, session_id), opening: 'open', reason };
}

/** What was applied is one whole from here on: it is told of at this place of the log. */
export function committed(row: Row | undefined, event: StoredEvent<typeof LogicalOperationCommitted>): Row | undefined {
  return closed(row, event, 'committed');
}

/** Nothing fills it any more; what was applied is told of at this place of the log, and then taken back. */
export function aborted(row: Row | undefined, event: StoredEvent<typeof LogicalOperationAborted>): Row | undefined {
  return closed(row, event, 'aborted');
}

/** Whoever follows the log passed its line by while it was open: it comes to stand where it ends. */
function closed(
  row: Row | undefined,
  event: { readonly sequence: number; readonly time: string },
  opening: 'committed' | 'aborted',
): Row | undefined {
  if (row?.opening !== 'open') return row;
  return { ...row, ...(hasEnded(row) && endedAt(event)), opening };
}

/** The rollback's steps become known with its requests. */
export function rollbackPlanned(row: Row | undefined, event: StoredEvent<typeof RollbackAuthorized>): Row {
  if (row) return row;
  const { logical_operation_id, rollback_id: rollbackId, decision, reason } = event.data;
  const rules = ruling([decision]);
  return { ...begun(event, logical_operation_id, null), ...rules, kind: 'rollback', rollbackId, reason };
}

/** The rollback that an abort calls for. */
export function abortPlanned(row: Row | undefined, event: StoredEvent<typeof LogicalOperationAborted>): Row {
  if (row) return row;
  const { rollback_logical_operation_id, rollback_id: rollbackId, reason } = event.data;
  return { ...begun(event, rollback_logical_operation_id, null), kind: 'rollback', rollbackId, reason };
}

/** Policy decides again, under this id or another one. */
export function wentStale(row: Row | undefined, _event: StoredEvent<typeof IntentStale>): Row | undefined {
  return row === undefined || hasEnded(row) ? row : { ...row, status: 'stale' };
}

/** One applied part makes the whole appear as applied: its effects are on the disk, whatever other parts met. */
export function applied(row: Row | undefined, event: StoredEvent<typeof OperationApplied>): Row {
  const { operations } = event.data;
  const { tool, reason } = operations[0]!;
  const known = row ?? { ...unknown(event), ...ruling(operations.map(({ decision }) => decision)), tool, reason };
  return {
    ...known,
    ...endedAt(event),
    status: 'applied',
    operationCount: known.operationCount + operations.filter(({ part_of }) => part_of === null).length,
    pathCount: known.pathCount + operations.length,
    liveCount: known.liveCount + operations.length,
    undoneBy: null,
  };
}

/** Keeps what failed; one of which a part was applied stays applied. */
export function failed(row: Row | undefined, event: StoredEvent<typeof OperationFailed>): Row {
  const known = row ?? unknown(event);
  const { code, message, path, expected, found, needs_attention } = event.data;
  const failure = { path, expected, found, needs_attention };
  const status = known.status === 'applied' ? 'applied' : 'failed';
  return { ...known, ...endedAt(event), status, code, message, failure };
}

/** Some of it was taken back (`change` < 0) or is live again. `newest`: what took back the last of it. */
export function withLiveness(row: Row, change: number, newest: LogicalOperationId | null): Row {
  const liveCount = row.liveCount + change;
  return { ...row, liveCount, undoneBy: liveCount === 0 ? newest : null };
}

const notEnded = {
  rollbackId: null,
  kind: 'operation',
  status: 'authorized',
  opening: null,
  sequence: null,
  time: null,
  timeMs: null,
  tool: null,
  reason: null,
  code: null,
  message: null,
  failure: null,
  rule: null,
  policyVersion: null,
  operationCount: 0,
  pathCount: 0,
  liveCount: 0,
  undoneBy: null,
} as const;

const hasEnded = (row: Row): boolean => row.sequence !== null;

const endedAt = ({ sequence, time }: { sequence: number; time: string }) => ({
  sequence,
  time,
  timeMs: Date.parse(time),
});

const begun = (
  { workspace, agent, data }: Pick<StoredEvent, 'workspace' | 'agent'> & { data: { intent_id: Row['intentId'] } },
  logicalOperationId: LogicalOperationId,
  sessionId: Row['sessionId'],
): Row => ({ ...notEnded, workspace, logicalOperationId, intentId: data.intent_id, agent, sessionId });

/** An outcome whose authorization nobody saw: the outcome itself says what it can. */
function unknown(event: StoredEvent<typeof OperationApplied | typeof OperationFailed>): Row {
  const { logical_operation_id, session_id, rollback_id: rollbackId, kind } = event.data;
  return { ...begun(event, logical_operation_id, session_id), rollbackId, kind };
}

/** Operations of one intent may be allowed by different rules: each is named once. */
const ruling = (decisions: readonly DecisionReference[]): Pick<Row, 'rule' | 'policyVersion'> => ({
  rule: decisions.length === 0 ? null : [...new Set(decisions.map(({ rule }) => rule))].join(', '),
  policyVersion: decisions[0]?.policy_version ?? null,
});

function alsoRuled(row: Row, decisions: readonly DecisionReference[]): Pick<Row, 'rule' | 'policyVersion'> {
  const rules = new Set([...(row.rule?.split(', ') ?? []), ...decisions.map(({ rule }) => rule)]);
  const policyVersion = decisions.at(-1)?.policy_version ?? row.policyVersion;
  return { rule: [...rules].join(', '), policyVersion };
}
