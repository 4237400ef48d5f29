import type { OperationId, SessionId } from '@retrace/contracts';
import type { History } from './history.js';
import { locate } from './location.js';
import type { IndexedOperation } from './operation-index.js';
import type { GlobTest } from './selecting.js';
import { Standing } from './standing.js';

/**
 * What a session created and nobody else changed since: of each object that it made and that still stands, its creation
 * and all that came after. `isNamed` is asked for the object's present path.
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

/** All that became of an object; `undefined` where it is gone, or somebody else had a hand in it. */
function lifeOf(
  history: History,
  standing: Standing,
  creation: IndexedOperation,
  session: SessionId,
): Life | undefined {
  const { path, later, moves } = locate(history, standing, creation);
  const ends = moves.flatMap((move) => [move, history.otherEnd(move)!]);
  const operations = [creation, ...later, ...ends];
  const own = operations.every((each) => each.session_id === session && each.kind === 'operation');
  return own && later.every(({ after }) => after.kind !== 'absent') ? { path, operations } : undefined;
}
