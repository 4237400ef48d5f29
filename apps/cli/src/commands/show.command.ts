import type { Retrace } from '@retrace/client';
import { type EntryDetail, renderEntry, tellsOfFailure } from '../render/entry.render.js';
import { type OperationDetail, renderOperation } from '../render/operation.render.js';
import type { Screen } from '../render/style.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';
import { recordsOf } from './operation-pages.js';
import { parseReference, type Reference } from './references.js';

export const showCommand: CommandFactory = (runner) =>
  describeCommand('show', ['retrace show 1042', 'retrace show lop_0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d10 --json'])
    .argument('<id>', 'op_…, lop_…, or the number of a line of the log')
    .action(
      runner.action<object, [string]>(async (invocation, _options, text) => {
        const reference = parseReference(text);
        if (reference.by === 'session') throw new UsageError('a session has a log: retrace log --session ID');
        const retrace = await invocation.upToDate();
        const found = await find(retrace, reference);
        invocation.print((screen) => render(found, screen), found);
      }),
    );

interface Found {
  readonly operations: readonly OperationDetail[];
  /** The line of the log; null where a single operation is shown. */
  readonly entry: EntryDetail | null;
}

async function find(retrace: Retrace, reference: Exclude<Reference, { by: 'session' }>): Promise<Found> {
  if (reference.by === 'operation') return { operations: await recordsOf(retrace, reference), entry: null };
  const entry = await retrace.entry(reference.by === 'sequence' ? reference.sequence : reference.id);
  const { status, logical_operation_id: id } = entry.entry;
  if (status !== 'applied' || id === null) return { operations: [], entry };
  return { operations: await recordsOf(retrace, { by: 'logical_operation', id }), entry };
}

function render({ operations, entry }: Found, screen: Screen): string {
  const head = entry && tellsOfFailure(entry) ? [renderEntry(entry, screen)] : [];
  return [...head, ...operations.map((one) => renderOperation(one, screen))].join('\n\n');
}
