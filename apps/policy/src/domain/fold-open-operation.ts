import type {
  IntentAuthorized,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationId,
  LogicalOperationOpened,
  StoredEvent,
} from '@retrace/contracts';
import { type Change, effectsOf, type InflightRow, type OpenedRow, type RowKey, type RowReader } from './rows.js';

/** Nobody may open a logical operation under this id. */
export function single(
  { logical_operation_id }: { readonly logical_operation_id: LogicalOperationId },
  { workspace }: { readonly workspace: string },
  rows: RowReader,
): Change[] {
  const key: RowKey = [workspace, logical_operation_id];
  return rows.get('logical_operation', key) ? [] : [{ table: 'logical_operation', key, value: { status: 'single' } }];
}

/** What changes of an open logical operation; nothing where it is none, or ended. */
export function changeOpen(
  workspace: string,
  id: LogicalOperationId,
  rows: RowReader,
  change: (row: OpenedRow) => Partial<OpenedRow>,
): Change[] {
  const key: RowKey = [workspace, id];
  const row = rows.get('logical_operation', key);
  return row?.status === 'open' ? [{ table: 'logical_operation', key, value: { ...row, ...change(row) } }] : [];
}

/** A later attempt is of the same part, which was pending all the time; what it changes may be more or less by now. */
export const partAuthorized = ({ workspace, data }: StoredEvent<typeof IntentAuthorized>, rows: RowReader): Change[] =>
  changeOpen(workspace, data.logical_operation_id, rows, ({ parts, pending, paths }) => ({
    paths: paths + effectsOf(data.operations).length,
    ...(data.attempt === 1 && { parts: Math.max(parts, data.part), pending: pending + 1 }),
  }));

/** Its next attempt is counted anew. */
export const partSentBack = (workspace: string, { authorized, effects }: InflightRow, rows: RowReader): Change[] =>
  authorized.open
    ? changeOpen(workspace, authorized.logical_operation_id, rows, ({ paths }) => ({ paths: paths - effects.length }))
    : [];

export function openedOperation(
  { workspace, agent, time, data }: StoredEvent<typeof LogicalOperationOpened>,
  rows: RowReader,
): Change[] {
  const { logical_operation_id: id, session_id, timeout_ms } = data;
  const key: RowKey = [workspace, id];
  if (rows.get('logical_operation', key)) return [];
  const deadline = Date.parse(time) + timeout_ms;
  const value = { status: 'open', agent, session_id, deadline, parts: 0, paths: 0, pending: 0 } as const;
  const session = rows.get('session', [workspace, session_id]);
  const open = [...(session?.open ?? []), id];
  return [
    { table: 'logical_operation', key, value },
    ...(session ? [{ table: 'session', key: [workspace, session_id], value: { ...session, open } } as const] : []),
  ];
}

export function ended(
  { workspace, data }: StoredEvent<typeof LogicalOperationCommitted | typeof LogicalOperationAborted>,
  status: 'committed' | 'aborted',
  rows: RowReader,
): Change[] {
  const { logical_operation_id: id, session_id } = data;
  const changes = changeOpen(workspace, id, rows, () => ({ status }));
  const session = rows.get('session', [workspace, session_id]);
  if (changes.length === 0 || !session) return changes;
  const open = (session.open ?? []).filter((other) => other !== id);
  return [...changes, { table: 'session', key: [workspace, session_id], value: { ...session, open } }];
}
