import type { Retrace } from '@retrace/client';
import { type LogicalOperationId, type OperationId, RetraceError } from '@retrace/contracts';

const PAGE = 100;
/** An undo of a redo of an undo …: nobody goes deeper by hand. */
const MAX_DEPTH = 20;

/**
 * The newest undo of those that the caller may see. Throws RetraceError `nothing_to_undo` where there is none, or where it
 * is redone: an earlier one may be about something else, so that it must be named.
 */
export async function newestUndo(retrace: Retrace): Promise<LogicalOperationId> {
  let before_sequence: number | undefined;
  for (;;) {
    const page = await retrace.log({ kind: 'rollback', status: 'applied', limit: PAGE, before_sequence });
    for (const { logical_operation_id: id, undone_by, sequence } of page.entries.toReversed()) {
      if (id === null || !(await takesBackWork(retrace, id))) continue;
      if (undone_by === null) return id;
      throw nothing(`the newest undo, at ${sequence}, is redone; name an earlier one: retrace log --kind rollback`);
    }
    if (!page.more || page.entries.length === 0) throw nothing(`nothing in ${retrace.workspace} was undone`);
    before_sequence = page.entries[0]!.sequence;
  }
}

const nothing = (message: string): RetraceError => new RetraceError('nothing_to_undo', message);

/**
 * A redo is a rollback too: of a rollback. What it takes back says which of the two it is: the oldest of it, because an
 * undo may take back earlier undos on its way to the work.
 */
async function takesBackWork(retrace: Retrace, id: LogicalOperationId): Promise<boolean> {
  let compensated: OperationId | undefined = await oldestCompensated(retrace, id);
  for (let depth = 1; compensated !== undefined && depth <= MAX_DEPTH; depth += 1) {
    const [record] = (await retrace.operation(compensated)).operations;
    if (record?.kind !== 'rollback') return depth % 2 === 1;
    compensated = record.compensates.at(-1);
  }
  return false;
}

async function oldestCompensated(retrace: Retrace, id: LogicalOperationId): Promise<OperationId | undefined> {
  const { operations } = await retrace.operation(id);
  return operations.find(({ compensates }) => compensates.length > 0)?.compensates.at(-1);
}
