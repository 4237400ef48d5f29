import type { PathStatus } from '@retrace/client';
import { describePathState, type PathState, samePathState } from '@retrace/contracts';
import { type Field, renderFields } from './fields.js';
import type { Screen } from './style.js';
import { plain, wrap } from './text.js';

/** What stands at a path, and whether it is what was recorded. */
export const renderStat = (stat: PathStatus, { width, style }: Screen): string =>
  [...wrap(plain(stat.canonical), width).map(style.bold), renderFields(fieldsOf(stat), width, '  ')].join('\n');

const fieldsOf = ({ state, modified_at, recorded }: PathStatus): Field[] => [
  ['now', describePathState(state)],
  ['hash', state.kind === 'file' ? state.hash : null],
  ['modified', modified_at],
  ['recorded', agreement(state, recorded)],
  ['by', recorded && writerOf(recorded)],
  ['session', recorded?.session_id],
  ['operation', recorded?.operation_id],
];

/** Whether what stands at a path is what its last record says. */
export function agreement(state: PathState, recorded: PathStatus['recorded']): string {
  if (recorded === null)
    return state.kind === 'absent' ? 'nothing, by nobody' : 'by nobody: it was there, or came, without Retrace';
  if (samePathState(state, recorded.state)) return `as it was left at ${recorded.sequence}`;
  return `changed outside: at ${recorded.sequence} it was left as ${describePathState(recorded.state)}`;
}

const writerOf = ({ agent, operation_id }: NonNullable<PathStatus['recorded']>): string =>
  operation_id === null ? 'the baseline: it stood there when the workspace was added' : agent;
