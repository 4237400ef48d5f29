import type { Selection } from '@retrace/contracts';

/** A selection in a few words, for messages. */
export function named(selection: Selection): string {
  switch (selection.by) {
    case 'operation':
      return selection.operation_id;
    case 'logical_operation':
      return selection.logical_operation_id;
    case 'session':
      return selection.session_id;
    case 'step':
      return `step ${selection.step} of ${selection.session_id}`;
    case 'agent':
      return `agent ${selection.agent}${narrowing(selection)}`;
    case 'path':
      return `path ${JSON.stringify(selection.path)}${selection.below ? ' and below' : ''}${narrowing(selection)}`;
    case 'glob':
      return `glob ${JSON.stringify(selection.glob)}${narrowing(selection)}`;
    case 'created':
      return `created by ${selection.session_id}${selection.glob === undefined ? '' : ` in ${JSON.stringify(selection.glob)}`}`;
    case 'since':
      return `everything${narrowing(selection)}`;
  }
}

type Narrowing = Pick<Selection & { by: 'since' }, 'session_id' | 'agent' | 'since_sequence' | 'since_time'>;

function narrowing({ session_id, agent, since_sequence, since_time }: Narrowing): string {
  const parts = [
    session_id && `session ${session_id}`,
    agent && `agent ${agent}`,
    since_sequence !== undefined && `since sequence ${since_sequence}`,
    since_time && `since ${since_time}`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
