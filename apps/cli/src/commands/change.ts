import type { Applied, ApplyOptions, Content, OperationInput, Retrace } from '@retrace/client';
import type { Invocation } from '../invocation.js';
import { renderApplied } from '../render/operation.render.js';

/** Content from here on is put before the intent: policy waits 30 s for it, and no longer. */
const PUT_FIRST_BYTES = 64 * 1024 * 1024;

/** Applies operations as one logical operation, in the session that is meant, and tells what was done. */
export async function applyAndPrint(invocation: Invocation, operations: readonly OperationInput[]): Promise<void> {
  const { applied, session_id } = await invocation.inSession(async (session, retrace) => {
    const ready = await Promise.all(operations.map((operation) => withLargeContentPut(retrace, operation)));
    return { applied: await session.apply(ready, optionsOf(invocation)), session_id: session.id };
  });
  invocation.print((screen) => renderApplied(applied, screen), appliedJson(applied, session_id));
}

const optionsOf = ({ globals, command }: Invocation): ApplyOptions => ({
  tool: `retrace ${command}`,
  reason: globals.reason,
});

async function withLargeContentPut(retrace: Retrace, operation: OperationInput): Promise<OperationInput> {
  if (!('content' in operation) || !isLarge(operation.content)) return operation;
  return { ...operation, content: await retrace.put(operation.content) };
}

const isLarge = (content: Content): boolean =>
  (typeof content === 'string' || content instanceof Uint8Array) && content.length >= PUT_FIRST_BYTES;

const appliedJson = (applied: Applied, session_id: string) => ({
  intent_id: applied.intentId,
  logical_operation_id: applied.logicalOperationId,
  session_id,
  sequence: applied.sequence,
  operations: applied.operations,
});
