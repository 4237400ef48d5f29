import {
  type AbortOperationIntent,
  type CommitOperationIntent,
  isMintedId,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  type LogicalOperationId,
  LogicalOperationOpened,
  type OpenOperationIntent,
  type SessionId,
} from '@retrace/contracts';
import type { Asked, Decision, DecisionEvent, DecisionInput, StateView } from './decision-input.js';
import { answeredBy, decided, denied, envelopeOf, type Refusal } from './decision-events.js';
import { ownActiveSession } from './decide-session.js';
import type { OpenedRow } from './rows.js';

/** Unless the opening says. */
export const DEFAULT_TIMEOUT_MS = 15 * 60 * 1000;
/** Open at once in one session: each of them has parts that others may have to wait for, and a deadline. */
export const MAX_OPEN_PER_SESSION = 64;

export function decideOpen({ intent, asked, state }: DecisionInput<OpenOperationIntent>): Decision {
  const { logical_operation_id, session_id, reason = null, timeout_ms = DEFAULT_TIMEOUT_MS } = intent;
  const own = ownActiveSession(session_id, asked, state);
  if (!own.ok) return denied(asked, intent, own.refusal);
  // A rollback's is derived, and taken from the day on which anyone can derive it.
  if (state.logicalOperation(logical_operation_id) || !isMintedId(logical_operation_id))
    return denied(asked, intent, {
      code: 'logical_operation_exists',
      message: `${logical_operation_id} is taken; open one with a new id`,
    });
  const { open = [] } = own.session;
  if (open.length >= MAX_OPEN_PER_SESSION)
    return denied(asked, intent, {
      code: 'busy',
      message: `${session_id} has ${open.length} open logical operations, the most there may be; commit or abort one of them first`,
      retryable: true,
    });
  return decided({
    ...envelopeOf(asked, intent),
    type: LogicalOperationOpened.type,
    data: { ...answeredBy(asked, intent), logical_operation_id, session_id, reason, timeout_ms },
  });
}

export function decideCommit({ intent, asked, state, findings }: DecisionInput<CommitOperationIntent>): Decision {
  const { logical_operation_id, session_id } = intent;
  const own = ownInSession(intent, asked, state);
  if (!own.ok) return denied(asked, intent, own.refusal);
  if (own.row.failed)
    return denied(asked, intent, {
      code: 'logical_operation_failed',
      message: `a part of ${logical_operation_id} was refused or failed (${own.row.failed.message}), so it is no whole; abort it`,
    });
  if (own.row.pending > 0)
    return findings.parts === 'busy'
      ? denied(asked, intent, partsPending(logical_operation_id, own.row))
      : { kind: 'need_outcomes', logicalOperationId: logical_operation_id };
  return decided({
    ...envelopeOf(asked, intent),
    type: LogicalOperationCommitted.type,
    data: { ...answeredBy(asked, intent), logical_operation_id, session_id },
  });
}

/** What is taken back must be known: parts in flight come first here too. */
export function decideAbort({ intent, asked, state, findings }: DecisionInput<AbortOperationIntent>): Decision {
  const { logical_operation_id } = intent;
  const own = ownInSession(intent, asked, state, { late: true });
  if (!own.ok) return denied(asked, intent, own.refusal);
  if (own.row.pending > 0)
    return findings.parts === 'busy'
      ? denied(asked, intent, partsPending(logical_operation_id, own.row))
      : { kind: 'need_outcomes', logicalOperationId: logical_operation_id };
  return decided(abortedBecause('requested', intent, asked));
}

/** The deadline passed: nobody asked, so nobody is answered where it ended otherwise. Waits for parts as long as it takes. */
export function decideTimeout({ intent, asked, state }: DecisionInput<AbortOperationIntent>): Decision | undefined {
  const { logical_operation_id } = intent;
  const row = state.logicalOperation(logical_operation_id);
  if (row?.status !== 'open') return undefined;
  if (row.pending > 0) return { kind: 'need_outcomes', logicalOperationId: logical_operation_id };
  return decided(abortedBecause('timeout', intent, asked));
}

function abortedBecause(why: 'requested' | 'timeout', intent: AbortOperationIntent, asked: Asked): DecisionEvent {
  const { logical_operation_id, session_id, reason = null } = intent;
  const { rollbackId: rollback_id, rollbackLogicalOperationId: rollback_logical_operation_id } = asked;
  const rollback = { rollback_id, rollback_logical_operation_id };
  return {
    ...envelopeOf(asked, intent),
    type: LogicalOperationAborted.type,
    data: { ...answeredBy(asked, intent), logical_operation_id, session_id, why, reason, ...rollback },
  };
}

type Own = { readonly ok: true; readonly row: OpenedRow } | { readonly ok: false; readonly refusal: Refusal };

/** `late`: it may be over its deadline. */
interface Lateness {
  readonly late?: boolean;
}

function ownInSession(
  { session_id, logical_operation_id }: CommitOperationIntent | AbortOperationIntent,
  asked: Asked,
  state: StateView,
  lateness: Lateness = {},
): Own {
  const session = ownActiveSession(session_id, asked, state);
  return session.ok ? ownOpenOperation(logical_operation_id, session_id, asked, state, lateness) : session;
}

/** Only the session that opened it fills and ends it, and only until it ended or its time is over. */
export function ownOpenOperation(
  id: LogicalOperationId,
  session: SessionId,
  { principal, time }: Asked,
  state: StateView,
  { late = false }: Lateness = {},
): Own {
  const row = state.logicalOperation(id);
  const refuse = (code: Refusal['code'], message: string): Own => ({ ok: false, refusal: { code, message } });
  if (!row || row.status === 'single')
    return refuse('unknown_logical_operation', `no logical operation ${id} was opened here; open it first`);
  if (row.agent !== principal || row.session_id !== session)
    return refuse('unknown_logical_operation', `${id} was opened in another session; open one in ${session}`);
  switch (row.status) {
    case 'committed':
    case 'aborted':
      return refuse('logical_operation_closed', `${id} is ${row.status} and takes no more; open a new one`);
    case 'open':
      return !late && Date.parse(time) > row.deadline
        ? refuse('logical_operation_closed', `the time of ${id} is over, and it is being aborted; open a new one`)
        : { ok: true, row };
  }
}

const partsPending = (id: LogicalOperationId, { pending }: OpenedRow): Refusal => ({
  code: 'workspace_unavailable',
  message: `${pending} parts of ${id} still have no outcome; see: retrace status. Send a new intent to end it once they have`,
  retryable: true,
});
