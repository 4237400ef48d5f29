import type { OperationId, SessionId } from '@retrace/contracts';
import type { History } from './history.js';
import { locate } from './location.js';
import type { IndexedOperation } from './operation-index.js';
import type { GlobTest } from './selecting.js';
import { Standing } from './standing.js';

/**
 * What a session created: of each object that it made and that still stands, its creation and all that the session did to
 * it since. `isNamed` is asked for the object's present path. What somebody else changed meanwhile is selected too, so
 * that the plan leaves it out and says so.
 */
export function createdBy(history: History, session: SessionId, isNamed: GlobTest): ReadonlySet<OperationId> {
  const standing = new Standing(history);
  const chosen = new Set<OperationId>();
  for (const operation of history.operations) {
    if (!isCreation(history, operation, session)) continue;
    const life = lifeOf(history, standing, operation, session);
    if (life && isNamed(life.path)) for (const { operation_id } of life.operations) chosen.add(operation_id);
  }
  return chosen;
}

const isCreation = (history: History, operation: IndexedOperation, session: SessionId): boolean =>
  operation.kind === 'operation' &&
  operation.session_id === session &&
  operation.before.kind === 'absent' &&
  operation.after.kind !== 'absent' &&
  operation.moved_from === null &&
  history.isLive(operation);

interface Life {
  readonly path: string;
  readonly operations: readonly IndexedOperation[];
}

/** What the session did to an object; `undefined` where it is gone. */
function lifeOf(
  history: History,
  standing: Standing,
  creation: IndexedOperation,
  session: SessionId,
): Life | undefined {
  const { path, later, moves } = locate(history, standing, creation);
  const ends = moves.flatMap((move) => [move, history.otherEnd(move)!]);
  if (later.some(({ after }) => after.kind === 'absent')) return undefined;
  const operations = [creation, ...later, ...ends].filter(
    ({ session_id, kind }) => session_id === session && kind === 'operation',
  );
  return { path, operations };
}
