import type { Retrace } from '@retrace/client';
import {
  type LogicalOperationId,
  LogicalOperationIdSchema,
  type OperationId,
  OperationIdSchema,
  RetraceError,
  type Selection,
  type SessionId,
  SessionIdSchema,
} from '@retrace/contracts';
import { UsageError } from '../usage-error.js';

/** What a person names: by its id, or by the number in front of its line in the log. */
export type Reference =
  | { readonly by: 'operation'; readonly id: OperationId }
  | { readonly by: 'logical_operation'; readonly id: LogicalOperationId }
  | { readonly by: 'session'; readonly id: SessionId }
  | { readonly by: 'sequence'; readonly sequence: number };

/** Reads a reference. Throws {@link UsageError}. */
export function parseReference(text: string): Reference {
  const operation = OperationIdSchema.safeParse(text);
  if (operation.success) return { by: 'operation', id: operation.data };
  const logical = LogicalOperationIdSchema.safeParse(text);
  if (logical.success) return { by: 'logical_operation', id: logical.data };
  const session = SessionIdSchema.safeParse(text);
  if (session.success) return { by: 'session', id: session.data };
  if (/^#?[1-9]\d{0,15}$/.test(text)) return { by: 'sequence', sequence: Number(text.replace('#', '')) };
  throw new UsageError(`${text} names nothing: give op_…, lop_… or ses_…, or the number of a line of the log`);
}

/** A reference, or `undefined` where the text is something else, such as a path. */
export function referenceOf(text: string): Reference | undefined {
  try {
    return parseReference(text);
  } catch {
    return undefined;
  }
}

/** The logical operation at a line of the log. Throws RetraceError `not_found`. */
export async function logicalOperationAt(retrace: Retrace, sequence: number): Promise<LogicalOperationId> {
  const { entries } = await retrace.log({ before_sequence: sequence + 1, limit: 1 });
  const entry = entries.find((one) => one.sequence === sequence);
  if (!entry) throw new RetraceError('not_found', `nothing stands at ${sequence} in the log of ${retrace.workspace}`);
  if (entry.logical_operation_id === null)
    throw new RetraceError('not_found', `what stands at ${sequence} was ${entry.status}: it changed nothing`);
  return entry.logical_operation_id;
}

/** What an undo of the reference takes back. */
export async function selectionOf(retrace: Retrace, reference: Reference): Promise<Selection> {
  switch (reference.by) {
    case 'operation':
      return { by: 'operation', operation_id: reference.id };
    case 'logical_operation':
      return { by: 'logical_operation', logical_operation_id: reference.id };
    case 'session':
      return { by: 'session', session_id: reference.id };
    case 'sequence': {
      const logical_operation_id = await logicalOperationAt(retrace, reference.sequence);
      return { by: 'logical_operation', logical_operation_id };
    }
  }
}
