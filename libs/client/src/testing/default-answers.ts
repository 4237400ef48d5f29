import {
  type AbortOperationIntent,
  type ApplyIntent,
  IntentDenied,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
  OperationApplied,
  type OperationRecord,
  type OperationRequest,
  RollbackCompleted,
  SessionCompleted,
  SessionOpened,
  type WorkspacePath,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { Emit, FakeIntent } from './fake-intent.js';
import { appliedData, deniedData, recordOf, rollbackData } from './outcome-data.js';

const OPEN_TIMEOUT_MS = 900_000;

/** The event that ends an intent well. */
export async function defaultAnswer(emit: Emit, asked: FakeIntent): Promise<unknown> {
  const { intent } = asked;
  const answered = { intent_id: intent.intent_id, in_sequence: asked.sequence, attempt: 1 };
  switch (intent.type) {
    case 'session.open': {
      const { session_id, task, conversation_id = null, model = null } = intent;
      const agent = asked.principal;
      return emit(SessionOpened, asked, { ...answered, session_id, agent, task, conversation_id, model });
    }
    case 'session.complete':
      return emit(SessionCompleted, asked, { ...answered, session_id: intent.session_id });
    case 'operation.apply':
      return emit(OperationApplied, asked, appliedTo(intent));
    case 'rollback': {
      const { intent_id, plan_hash } = intent;
      return emit(RollbackCompleted, asked, rollbackData({ intent_id, plan_hash }));
    }
    case 'operation.open': {
      const { session_id, logical_operation_id, reason = null, timeout_ms = OPEN_TIMEOUT_MS } = intent;
      return emit(LogicalOperationOpened, asked, { ...answered, session_id, logical_operation_id, reason, timeout_ms });
    }
    case 'operation.commit': {
      const { session_id, logical_operation_id } = intent;
      return emit(LogicalOperationCommitted, asked, { ...answered, session_id, logical_operation_id });
    }
    case 'operation.abort':
      return abort(emit, asked, intent);
    case 'withdraw': {
      const withdrawn = { ...intent, intent_id: intent.withdrawn_intent_id };
      const data = deniedData({ intent_id: withdrawn.intent_id, code: 'withdrawn', message: 'withdrawn', rule: null });
      return emit(IntentDenied, { ...asked, intent: withdrawn }, data);
    }
  }
}

/** Policy's word, and then rollback's report. */
async function abort(emit: Emit, asked: FakeIntent, intent: AbortOperationIntent): Promise<unknown> {
  const { intent_id, session_id, logical_operation_id, reason = null } = intent;
  const [rollback_id, rollback_logical_operation_id] = [newId('rbk'), newId('lop')];
  const authority = { rollback_id, rollback_logical_operation_id, why: 'requested' as const };
  const answered = { intent_id, in_sequence: asked.sequence, attempt: 1, session_id, logical_operation_id, reason };
  await emit(LogicalOperationAborted, asked, { ...answered, ...authority });
  const undone = { undone: [logical_operation_id], logical_operation_id: rollback_logical_operation_id };
  return emit(RollbackCompleted, asked, rollbackData({ intent_id, rollback_id, ...undone }));
}

const appliedTo = (intent: ApplyIntent) =>
  appliedData({
    intent_id: intent.intent_id,
    session_id: intent.session_id,
    operations: intent.operations.map((request) => recordFor(intent, request)),
  });

const recordFor = (intent: ApplyIntent, { operation_id, action, path }: OperationRequest): OperationRecord =>
  recordOf({
    operation_id,
    action,
    path: { typed: path, canonical: path as WorkspacePath },
    session_id: intent.session_id,
    tool: intent.tool ?? null,
    reason: intent.reason ?? null,
  });
