import type { Retrace } from '@retrace/client';
import { type LogicalOperationId, RetraceError } from '@retrace/contracts';
import { CommandFailed, UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';
import { newestUndo } from './newest-undo.js';
import { type PlanFlags, planOptions, withPlanOptions } from './plan-options.js';
import { logicalOperationAt, parseReference, type Reference } from './references.js';
import { mustBeAsked, showAndRun } from './run-plan.js';

const EXAMPLES = ['retrace redo', 'retrace redo 1050 --dry-run', 'retrace redo --yes'];

const NOTE = `
Without an id: the newest undo that you may see, unless it is redone already.`;

export const redoCommand: CommandFactory = (runner) =>
  withPlanOptions(
    describeCommand('redo', EXAMPLES, NOTE).argument('[id]', 'the undo: lop_…, or the number of its line of the log'),
  ).action(
    runner.action<PlanFlags, [string | undefined]>(async (invocation, flags, text) => {
      const reference = text === undefined ? undefined : parseReference(text);
      mustBeAsked(invocation, flags);
      const retrace = await invocation.upToDate();
      const id = reference ? await undoAt(retrace, reference) : await newestUndo(retrace);
      const selection = { by: 'logical_operation', logical_operation_id: id } as const;
      const plan = await retrace.undoPlan(selection, await planOptions(retrace, flags));
      return showAndRun(invocation, retrace, plan, { flags, verb: 'redo' });
    }),
  );

/** Throws where what is named is no undo. */
async function undoAt(retrace: Retrace, reference: Reference): Promise<LogicalOperationId> {
  const id = await logicalOperationOf(retrace, reference);
  const { entry } = await retrace.entry(id);
  if (entry.kind === 'rollback') return id;
  throw new CommandFailed(
    'not_an_undo',
    `${id} is no undo: there is nothing to redo`,
    `retrace undo ${id} takes it back`,
  );
}

async function logicalOperationOf(retrace: Retrace, reference: Reference): Promise<LogicalOperationId> {
  switch (reference.by) {
    case 'logical_operation':
      return reference.id;
    case 'sequence':
      return logicalOperationAt(retrace, reference.sequence);
    case 'operation':
      return oneOf(retrace, reference.id);
    case 'session':
      throw new UsageError('a session is no undo: retrace log --kind rollback lists them');
  }
}

async function oneOf(retrace: Retrace, id: Extract<Reference, { by: 'operation' }>['id']): Promise<LogicalOperationId> {
  const [record] = (await retrace.operation(id)).operations;
  if (record) return record.logical_operation_id;
  throw new RetraceError('not_found', `there is no operation ${id}`);
}
