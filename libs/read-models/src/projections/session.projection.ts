import type { SessionCompleted, SessionOpened, StoredEvent } from '@retrace/contracts';
import type { SessionEntity } from '../entities/session.entity.js';
import type { RowOf } from '../entities/row-of.js';

/** The first opening counts. */
export function sessionOpened(
  row: RowOf<SessionEntity> | undefined,
  { workspace, sequence, time, data }: StoredEvent<typeof SessionOpened>,
): RowOf<SessionEntity> {
  if (row) return row;
  return {
    workspace,
    sessionId: data.session_id,
    agent: data.agent,
    status: 'active',
    task: data.task,
    conversationId: data.conversation_id,
    model: data.model,
    sequence,
    openedAt: time,
    completedAt: null,
  };
}

/** Completes an active session; any other stays as it is. */
export function sessionCompleted(
  row: RowOf<SessionEntity> | undefined,
  { time }: StoredEvent<typeof SessionCompleted>,
): RowOf<SessionEntity> | undefined {
  if (row?.status !== 'active') return row;
  return { ...row, status: 'completed', completedAt: time };
}
