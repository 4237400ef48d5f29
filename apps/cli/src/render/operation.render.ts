import { describePathState, type OperationRecord, type QueryOperation, type StateSnapshot } from '@retrace/contracts';
import type { z } from 'zod';
import { type Field, renderFields } from './fields.js';
import type { Screen } from './style.js';
import { plain, plural } from './text.js';

export type OperationDetail = z.infer<(typeof QueryOperation)['reply']>['operations'][number];

/** Everything recorded of an operation. */
export function renderOperation(operation: OperationDetail, { width, style }: Screen): string {
  const title = plain(`${operation.action} ${operation.path.canonical}`);
  return `${style.bold(title)}\n${renderFields(fieldsOf(operation), width, '  ')}`;
}

const fieldsOf = (operation: OperationDetail): Field[] => [
  ['operation', operation.operation_id],
  ['logical operation', operation.logical_operation_id],
  ['sequence', operation.sequence],
  ['time', operation.time],
  ['workspace', operation.workspace],
  ['agent', operation.agent_id],
  ['session', operation.session_id],
  ['tool', operation.tool],
  ['model', modelOf(operation)],
  ['reason', operation.reason],
  ['typed as', operation.path.typed === operation.path.canonical ? null : operation.path.typed],
  ['before', describeSnapshot(operation.state_snapshot_before)],
  ['after', describeSnapshot(operation.state_snapshot_after)],
  ['part of', operation.part_of],
  ['moved from', operation.moved_from],
  ['moved to', operation.moved_to],
  ['copied from', operation.copied_from],
  ['matches', operation.parameters.matches],
  ['written', operation.parameters.write_mode],
  ['decided by', `rule ${operation.decision.rule}, policy version ${operation.decision.policy_version}`],
  ...provenanceOf(operation),
  ['trace', operation.trace_id],
  ['duration', operation.duration_ms === null ? null : `${operation.duration_ms} ms`],
  ['undo', undoOf(operation)],
  ['takes back', operation.compensates.join(' ') || null],
  ...operation.notes.map((note): Field => ['note', note]),
];

const modelOf = ({ model }: OperationRecord): string | null =>
  model && [model.id, model.version].filter((part) => part !== undefined).join(' ');

const provenanceOf = ({ provenance }: OperationRecord): Field[] => [
  ['parent', provenance.parent_operation],
  ['user asked', provenance.user_intent],
  ['ticket', provenance.ticket],
];

function undoOf({ undone_by, undo_coverage }: OperationDetail): string {
  if (undone_by !== null) return `undone by ${undone_by}`;
  const lost = undo_coverage.lost.length > 0 ? `; lost: ${undo_coverage.lost.join(', ')}` : '';
  return undo_coverage.undoable ? `brings back ${undo_coverage.restores.join(', ')}${lost}` : `not possible${lost}`;
}

function describeSnapshot({ state, sequence }: StateSnapshot): string {
  const text = describePathState(state);
  if (sequence === 'self') return text;
  return `${text}, ${sequence === null ? 'recorded by nobody' : `since ${sequence}`}`;
}

/** More is nothing that a person reads. */
const MAX_LINES = 50;

/** What was just applied: one line for each path, then the name of the whole. */
export function renderApplied(
  applied: { logicalOperationId: string; sequence: number; operations: readonly OperationRecord[] },
  { width, style }: Screen,
): string {
  // The old end of a move says nothing that the new one does not.
  const told = applied.operations.filter(({ moved_to }) => moved_to === null);
  const lines = told.slice(0, MAX_LINES).map(doneLine);
  const more = told.length - lines.length;
  const whole = renderFields(
    [
      ['as', applied.logicalOperationId],
      ['at', applied.sequence],
    ],
    width,
    '  ',
  );
  return [...lines, ...(more > 0 ? [`… and ${plural(more, 'path')} more`] : []), style.dim(whole)].join('\n');
}

/** `edit docs/a.md (2)`, `move docs/a.md → docs/b.md`, with the notes below it. */
function doneLine({ action, path, parameters, moved_from, copied_from, notes }: OperationRecord): string {
  const matches = parameters.matches === null ? '' : ` (${parameters.matches})`;
  const from = moved_from ?? copied_from;
  const what = `${action} ${from === null ? '' : `${from} → `}${path.canonical}${matches}`;
  return [what, ...notes.map((note) => `note: ${note}`)].map(plain).join('\n  ');
}
