import {
  type AnyEventDefinition,
  INTENT_STREAM,
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  type LogicalOperationId,
  LogicalOperationOpened,
  MemberAdded,
  MessageRejected,
  OperationApplied,
  OperationFailed,
  type OperationRecord,
  PolicyPublished,
  RollbackAuthorized,
  SessionCompleted,
  SessionOpened,
  type StoredEvent,
  WorkspaceRegistered,
} from '@retrace/contracts';
import { changeOpen, ended, openedOperation, partAuthorized, partSentBack, single } from './fold-open-operation.js';
import { type Change, type DecisionRow, effectsOf, requestsOf, type RowKey, type RowReader } from './rows.js';

/** The events that policy folds. */
export const FOLDED_EVENTS = [
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  OperationApplied,
  OperationFailed,
  SessionOpened,
  SessionCompleted,
  MemberAdded,
  PolicyPublished,
  WorkspaceRegistered,
  RollbackAuthorized,
  LogicalOperationOpened,
  LogicalOperationCommitted,
  LogicalOperationAborted,
  MessageRejected,
] as const satisfies readonly AnyEventDefinition[];
export type FoldedEvent = StoredEvent<(typeof FOLDED_EVENTS)[number]>;

const TYPES: ReadonlySet<string> = new Set(FOLDED_EVENTS.map(({ type }) => type));
export const isFolded = (event: { readonly type: string }): event is FoldedEvent => TYPES.has(event.type);

type FoldedDefinition = (typeof FOLDED_EVENTS)[number];
type Fold<D extends FoldedDefinition> = (event: StoredEvent<D>, rows: RowReader) => Change[];

/** One fold per event; a missing one does not compile. */
const FOLDS: { readonly [D in FoldedDefinition as `${D['entity']}.${D['verb']}`]: Fold<D> } = {
  'intent.authorized': (event, rows) => decided(event, rows, () => authorized(event, rows)),
  'intent.denied': (event, rows) => decided(event, rows, () => denied(event, rows)),
  'intent.stale': stale,
  'session.opened': (event, rows) => decided(event, rows, () => opened(event, rows)),
  'session.completed': (event, rows) => decided(event, rows, () => completed(event, rows)),
  'rollback.authorized': (event, rows) => decided(event, rows, () => single(event.data, event, rows)),
  'logical_operation.opened': (event, rows) => decided(event, rows, () => openedOperation(event, rows)),
  'logical_operation.committed': (event, rows) => decided(event, rows, () => ended(event, 'committed', rows)),
  'logical_operation.aborted': aborted,
  'operation.applied': applied,
  'operation.failed': finished,
  'member.added': ({ workspace, data, sequence }) => [
    { table: 'member', key: [workspace, data.member], value: { sequence } },
  ],
  'policy.published': published,
  'workspace.registered': registered,
  'message.rejected': rejected,
};
const BY_NAME: ReadonlyMap<string, (event: never, rows: RowReader) => Change[]> = new Map(Object.entries(FOLDS));
const NAMES: ReadonlyMap<string, string> = new Map(
  FOLDED_EVENTS.map(({ type, entity, verb }) => [type, `${entity}.${verb}`]),
);

/** The rows that an event changes. Pure; of several decisions of one attempt only the first changes anything. */
export function foldEvent(event: FoldedEvent, rows: RowReader): Change[] {
  return BY_NAME.get(NAMES.get(event.type) ?? '')?.(event as never, rows) ?? [];
}

type Decided = StoredEvent<
  | typeof IntentAuthorized
  | typeof IntentDenied
  | typeof SessionOpened
  | typeof SessionCompleted
  | typeof RollbackAuthorized
  | typeof LogicalOperationOpened
  | typeof LogicalOperationCommitted
  | typeof LogicalOperationAborted
>;

function decided(event: Decided, rows: RowReader, effect: () => Change[]): Change[] {
  const key: RowKey = [event.workspace, event.agent, event.data.intent_id, event.data.attempt];
  if (rows.get('decision', key)) return [];
  const value: DecisionRow = { sequence: event.sequence, type: event.type };
  return [{ table: 'decision', key, value }, ...effect()];
}

const forgetStale = ({ workspace, agent, data }: Decided): Change => ({
  table: 'stale',
  key: [workspace, agent, data.intent_id],
  value: undefined,
});

function authorized(event: StoredEvent<typeof IntentAuthorized>, rows: RowReader): Change[] {
  const { workspace, agent, data, sequence, traceparent = null } = event;
  const { operations, ...about } = data;
  const follow = rows.get('stale', [workspace, agent, data.intent_id])?.follow ?? false;
  const spent = operations.flatMap(({ request }) => spend(request, event, rows));
  const [requests, effects] = [requestsOf(operations), effectsOf(operations)];
  const value = { sequence, agent, traceparent, follow, authorized: about, requests, effects };
  return [
    ...spent,
    { table: 'inflight', key: inflightKey(event), value },
    ...(data.open ? partAuthorized(event, rows) : single(data, event, rows)),
    forgetStale(event),
  ];
}

interface OfOperation {
  readonly workspace: string;
  readonly data: { readonly logical_operation_id: LogicalOperationId; readonly intent_id: string };
}

/** The parts of one logical operation are intents of their own. */
const inflightKey = ({ workspace, data }: OfOperation): RowKey => [
  workspace,
  data.logical_operation_id,
  data.intent_id,
];

function denied(event: StoredEvent<typeof IntentDenied>, rows: RowReader): Change[] {
  const { workspace, agent, data } = event;
  const { code, message } = data;
  const sentBack = rows.get('stale', [workspace, agent, data.intent_id])?.authorized;
  const id = sentBack?.open ? sentBack.logical_operation_id : data.logical_operation_id;
  if (id === undefined) return [forgetStale(event)];
  const failed = changeOpen(workspace, id, rows, (row) =>
    // What others ask for under this id is no part of it.
    row.agent === agent && row.session_id === data.session_id
      ? { failed: row.failed ?? { code, message }, pending: row.pending - (sentBack ? 1 : 0) }
      : {},
  );
  return [...failed, forgetStale(event)];
}

/** Of time-outs nobody asked, so none is the answer to an intent: only the state says whether it counts. */
function aborted(event: StoredEvent<typeof LogicalOperationAborted>, rows: RowReader): Change[] {
  const { workspace, data } = event;
  const effect = (): Change[] => {
    const changes = ended(event, 'aborted', rows);
    const rollback = { logical_operation_id: data.rollback_logical_operation_id };
    return changes.length === 0 ? [] : [...changes, ...single(rollback, { workspace }, rows)];
  };
  return data.why === 'timeout' ? effect() : decided(event, rows, effect);
}

function opened({ workspace, data }: StoredEvent<typeof SessionOpened>, rows: RowReader): Change[] {
  const key: RowKey = [workspace, data.session_id];
  if (rows.get('session', key)) return [];
  return [{ table: 'session', key, value: { status: 'active', agent: data.agent, model: data.model } }];
}

function completed({ workspace, data }: StoredEvent<typeof SessionCompleted>, rows: RowReader): Change[] {
  const key: RowKey = [workspace, data.session_id];
  const session = rows.get('session', key);
  return session ? [{ table: 'session', key, value: { ...session, status: 'completed' } }] : [];
}

/** Only the attempt in flight can go stale: an old or repeated message changes nothing. */
function stale(event: StoredEvent<typeof IntentStale>, rows: RowReader): Change[] {
  const { id, workspace, agent, data } = event;
  const key = inflightKey(event);
  const inflight = rows.get('inflight', key);
  if (!inflight || inflight.authorized.attempt !== data.attempt) return [];
  const follow = inflight.follow || data.paths.some(({ why }) => why === 'link');
  const value = { ...inflight, follow, attempt: data.attempt + 1, stale_event_id: id };
  return [
    { table: 'inflight', key, value: undefined },
    { table: 'stale', key: [workspace, agent, data.intent_id], value },
    ...partSentBack(workspace, inflight, rows),
  ];
}

/** Also what no request named: the old path of a move, the steps of a rollback. */
function applied(event: StoredEvent<typeof OperationApplied>, rows: RowReader): Change[] {
  return [...event.data.operations.flatMap((record) => spend(record, event, rows)), ...finished(event, rows)];
}

/** The first that has an id keeps it. */
function spend(
  { operation_id }: Pick<OperationRecord, 'operation_id'>,
  { workspace, agent, data: { intent_id } }: StoredEvent<typeof IntentAuthorized | typeof OperationApplied>,
  rows: RowReader,
): Change[] {
  const key: RowKey = [workspace, operation_id];
  return rows.get('operation', key) ? [] : [{ table: 'operation', key, value: { intent_id, agent } }];
}

function finished(event: StoredEvent<typeof OperationApplied | typeof OperationFailed>, rows: RowReader): Change[] {
  const { workspace, data } = event;
  const key = inflightKey(event);
  const inflight = rows.get('inflight', key);
  if (!inflight) return [];
  const failed = 'code' in data && { failed: { code: data.code, message: data.message } };
  const part = inflight.authorized.open
    ? changeOpen(workspace, data.logical_operation_id, rows, ({ pending }) => ({ pending: pending - 1, ...failed }))
    : [];
  return [{ table: 'inflight', key, value: undefined }, ...part];
}

function published({ workspace, data, sequence }: StoredEvent<typeof PolicyPublished>, rows: RowReader): Change[] {
  const before = rows.get('policy', [workspace]);
  if (before && before.version >= data.version) return [];
  const value = { ...data, sequence };
  return [
    { table: 'policy', key: [workspace], value },
    { table: 'policy_version', key: [workspace, data.version], value },
  ];
}

function registered({ workspace, data, sequence }: StoredEvent<typeof WorkspaceRegistered>): Change[] {
  return [{ table: 'workspace', key: [workspace], value: { root: data.root, sequence } }];
}

function rejected({ workspace, data }: StoredEvent<typeof MessageRejected>): Change[] {
  if (data.service !== 'policy' || data.stream !== INTENT_STREAM) return [];
  return [{ table: 'rejected', key: [workspace, data.sequence], value: { reason: data.reason } }];
}
