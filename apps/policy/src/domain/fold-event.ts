import {
  type AnyEventDefinition,
  INTENT_STREAM,
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  MemberAdded,
  MessageRejected,
  OperationApplied,
  OperationFailed,
  PolicyPublished,
  RollbackAuthorized,
  SessionCompleted,
  SessionOpened,
  type StoredEvent,
  WorkspaceRegistered,
} from '@retrace/contracts';
import type { Change, DecisionRow, RowKey, RowReader } from './rows.js';

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
  'intent.denied': (event, rows) => decided(event, rows, () => [forgetStale(event)]),
  'intent.stale': stale,
  'session.opened': (event, rows) => decided(event, rows, () => opened(event, rows)),
  'session.completed': (event, rows) => decided(event, rows, () => completed(event, rows)),
  'rollback.authorized': (event, rows) => decided(event, rows, () => []),
  'operation.applied': finished,
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
  const follow = rows.get('stale', [workspace, agent, data.intent_id])?.follow ?? false;
  const spent = data.operations.map(({ request }): Change => ({
    table: 'operation',
    key: [workspace, request.operation_id],
    value: { intent_id: data.intent_id },
  }));
  const value = { sequence, agent, traceparent, follow, authorized: data };
  return [...spent, { table: 'inflight', key: [workspace, data.logical_operation_id], value }, forgetStale(event)];
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
function stale({ id, workspace, agent, data }: StoredEvent<typeof IntentStale>, rows: RowReader): Change[] {
  const key: RowKey = [workspace, data.logical_operation_id];
  const inflight = rows.get('inflight', key);
  if (!inflight || inflight.authorized.attempt !== data.attempt) return [];
  const follow = inflight.follow || data.paths.some(({ why }) => why === 'link');
  const value = { ...inflight, follow, attempt: data.attempt + 1, stale_event_id: id };
  return [
    { table: 'inflight', key, value: undefined },
    { table: 'stale', key: [workspace, agent, data.intent_id], value },
  ];
}

function finished(
  { workspace, data }: StoredEvent<typeof OperationApplied | typeof OperationFailed>,
  rows: RowReader,
): Change[] {
  const key: RowKey = [workspace, data.logical_operation_id];
  return rows.get('inflight', key) ? [{ table: 'inflight', key, value: undefined }] : [];
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
