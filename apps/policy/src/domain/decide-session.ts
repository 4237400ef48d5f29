import {
  type CompleteSessionIntent,
  type OpenSessionIntent,
  SessionCompleted,
  type SessionId,
  SessionOpened,
} from '@retrace/contracts';
import type { Asked, Decision, DecisionInput, StateView } from './decision-input.js';
import { answeredBy, decided, denied, envelopeOf, type Refusal } from './decision-events.js';
import type { SessionRow } from './rows.js';

export function decideSessionOpen({ intent, asked, state }: DecisionInput<OpenSessionIntent>): Decision {
  const { session_id, task, conversation_id = null, model = null } = intent;
  if (state.session(session_id))
    return denied(asked, intent, {
      code: 'session_exists',
      message: `${session_id} is taken; open a session with a new id`,
    });
  return decided({
    ...envelopeOf(asked, intent),
    type: SessionOpened.type,
    data: { ...answeredBy(asked, intent), session_id, agent: asked.principal, task, conversation_id, model },
  });
}

export function decideSessionComplete({ intent, asked, state }: DecisionInput<CompleteSessionIntent>): Decision {
  const own = ownActiveSession(intent.session_id, asked, state);
  if (!own.ok) return denied(asked, intent, own.refusal);
  const [open] = own.session.open ?? [];
  if (open !== undefined)
    return denied(asked, intent, {
      code: 'logical_operation_open',
      message: `${open} of ${intent.session_id} is still open; commit or abort it, then complete the session`,
    });
  return decided({
    ...envelopeOf(asked, intent),
    type: SessionCompleted.type,
    data: { ...answeredBy(asked, intent), session_id: intent.session_id },
  });
}

type OwnSession =
  { readonly ok: true; readonly session: SessionRow } | { readonly ok: false; readonly refusal: Refusal };

/** Only the session's own agent writes in it or ends it, and only while it is active. Operators are no exception. */
export function ownActiveSession(id: SessionId, { principal }: Asked, state: StateView): OwnSession {
  const session = state.session(id);
  const refuse = (code: Refusal['code'], message: string): OwnSession => ({ ok: false, refusal: { code, message } });
  if (!session) return refuse('unknown_session', `there is no session ${id} here; open it first`);
  if (session.agent !== principal)
    return refuse('not_your_session', `${id} belongs to ${session.agent}; open a session of your own`);
  switch (session.status) {
    case 'completed':
      return refuse('session_closed', `${id} is completed and writes nothing more; open a new session`);
    case 'active':
      return { ok: true, session };
  }
}
