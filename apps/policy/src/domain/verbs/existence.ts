import type { ActionClass, AuthorizedOperation, Pin, WorkspacePath } from '@retrace/contracts';
import type { PlacedOperation } from '../place-operations.js';
import { ANY, type Scope } from './scope.js';

interface Existence {
  readonly exists: boolean;
  readonly pin: Pin;
}

/** What is known of the path: this intent, then work in flight, then what was found. */
function existence({ fact }: PlacedOperation, path: WorkspacePath, { tree, state }: Scope): Existence | undefined {
  const standing = tree.at(path);
  if (standing && standing.found === undefined) return { exists: standing.kind !== 'absent', pin: ANY };
  const inflight = state.newestInflight(path);
  if (inflight)
    return { exists: inflight.leaves === 'something', pin: { kind: 'after', operation_id: inflight.operation_id } };
  if (standing) return { exists: standing.kind !== 'absent', pin: standing.pin };
  if (!fact || fact.canonical !== path) return undefined;
  return fact.state.kind === 'absent'
    ? { exists: false, pin: { kind: 'absent', assumed: false } }
    : { exists: true, pin: { kind: 'state', state: fact.state, sequence: fact.recorded?.sequence ?? null } };
}

export interface Landing extends Pick<AuthorizedOperation, 'pin' | 'decision'> {
  readonly class: Extract<ActionClass, 'create' | 'overwrite'>;
}

/**
 * Judges what is put at a path where something may stand: it creates or overwrites. Nothing is asked where both have the
 * same answer. `undefined`: it must be looked up.
 */
export function judgeLanding(placed: PlacedOperation, path: WorkspacePath, scope: Scope): Landing | undefined {
  const { policy, attempt } = scope;
  const create = policy.judge('create', path);
  const overwrite = policy.judge('overwrite', path);
  const same = create.allowed === overwrite.allowed;
  const known = existence(placed, path, scope);
  const as = (actionClass: Landing['class'], pin: Pin): Landing => ({
    class: actionClass,
    pin,
    decision: scope.accept(placed, path, actionClass === 'create' ? create : overwrite, same),
  });
  if (same) return as(known?.exists === false ? 'create' : 'overwrite', ANY);
  if (known) return as(known.exists ? 'overwrite' : 'create', known.pin);
  // An assumption that failed once is looked up the next time.
  if (create.allowed && attempt === 1) return as('create', { kind: 'absent', assumed: true });
  return undefined;
}
