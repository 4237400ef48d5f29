import type { Applied, ApplyOptions, OperationInput, Retrace, Session } from '@retrace/client';
import type { PathState } from '@retrace/contracts';
import type { Invocation } from '../invocation.js';
import { renderApplied } from '../render/operation.render.js';
import { UsageError } from '../usage-error.js';
import type { ChangeFlags, ExpectFlags } from './change-options.js';
import { expectedState } from './expectation.js';

/** The one path of a command whose state may be expected. */
export interface ChangedPath {
  readonly path: string;
  /** The change acts on what a link at the path names, not on the link. */
  readonly follow: boolean;
}

/** Applies one operation, and tells what was done. */
export const changeAndPrint = (
  invocation: Invocation,
  flags: ExpectFlags,
  { path, follow }: ChangedPath,
  operation: (expected: PathState | undefined) => OperationInput,
): Promise<void> =>
  printed(invocation, flags, async (session, retrace) => {
    const expected = flags.expect && (await expectedState(retrace, path, flags.expect, follow));
    return apply(invocation, flags, session, [operation(expected)]);
  });

/** Applies operations as one logical operation, or as a part of an open one, and tells what was done. */
export const applyAndPrint = (
  invocation: Invocation,
  flags: ChangeFlags,
  operations: readonly OperationInput[],
): Promise<void> => printed(invocation, flags, (session) => apply(invocation, flags, session, operations));

async function printed(
  invocation: Invocation,
  { lop }: ChangeFlags,
  work: (session: Session, retrace: Retrace) => Promise<Applied>,
): Promise<void> {
  if (lop !== undefined && invocation.sessionId === undefined)
    throw new UsageError('a logical operation belongs to a session: give the one that opened it (--session ID)');
  const { applied, session_id } = await invocation.inSession(async (session, retrace) => ({
    applied: await work(session, retrace),
    session_id: session.id,
  }));
  invocation.print((screen) => renderApplied(applied, screen), appliedJson(applied, session_id));
}

const apply = (
  invocation: Invocation,
  flags: ChangeFlags,
  session: Session,
  operations: readonly OperationInput[],
): Promise<Applied> =>
  (flags.lop === undefined ? session : session.operation(flags.lop)).apply(operations, optionsOf(invocation, flags));

function optionsOf({ globals, command }: Invocation, { ticket, userIntent }: ChangeFlags): ApplyOptions {
  const provenance = { ticket, user_intent: userIntent };
  const given = Object.values(provenance).some((value) => value !== undefined);
  return { tool: `retrace ${command}`, reason: globals.reason, provenance: given ? provenance : undefined };
}

const appliedJson = (applied: Applied, session_id: string) => ({
  intent_id: applied.intentId,
  logical_operation_id: applied.logicalOperationId,
  session_id,
  sequence: applied.sequence,
  operations: applied.operations,
});
