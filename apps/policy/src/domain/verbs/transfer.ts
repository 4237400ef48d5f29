import {
  type ActionClass,
  type AuthorizedOperation,
  describePathState,
  type OperationRequest,
  samePathState,
  type WorkspacePath,
} from '@retrace/contracts';
import type { Refusal } from '../decision-events.js';
import type { Reach } from '../decision-input.js';
import type { PlacedOperation } from '../place-operations.js';
import type { Standing } from '../working-tree.js';
import { judgeLanding } from './existence.js';
import { ANY, type Judging, Refused, refuseOdd, type Scope, type Unknown } from './scope.js';
import { refuseCarriedLink } from './symlink.js';

type TransferRequest = Extract<OperationRequest, { action: 'move' | 'copy' }>;
type Transfer = PlacedOperation & { readonly request: TransferRequest };

/** A file or link gets another path; a folder and all that is in it, as `mkdir`, `move` and `rmdir` of each part. */
export function* judgeMove(placed: Transfer, scope: Scope): Judging {
  refuseIntoItself(placed);
  const root = scope.whole(placed.from);
  if (!root) return lookUp(placed, 'move', scope);
  refuseOdd(placed, placed.from, root);
  if (root.kind !== 'directory') return oneObject(placed, 'move', root, scope);
  return yield* moveFolder(placed, root, scope);
}

/** A file or link; with `recursive`, a folder and all that is in it, as `mkdir` and `copy` of each part. */
export function* judgeCopy(placed: Transfer, scope: Scope): Judging {
  refuseIntoItself(placed);
  if (!('recursive' in placed.request) || !placed.request.recursive) return oneObject(placed, 'read', undefined, scope);
  const root = scope.whole(placed.from);
  if (!root) return lookUp(placed, 'read', scope);
  refuseOdd(placed, placed.from, root);
  if (root.kind !== 'directory') return oneObject(placed, 'read', root, scope);
  return yield* copyFolder(placed, root, scope);
}

/** What is refused anyway is not looked at. */
function lookUp(placed: Transfer, actionClass: ActionClass, scope: Scope): Unknown {
  scope.judge(placed, actionClass, placed.from);
  const reaches: Reach[] = [{ path: placed.from, deep: true }];
  if (!scope.tree.at(placed.canonical)) reaches.push({ path: placed.canonical, deep: false });
  return { kind: 'trees', reaches };
}

function oneObject(
  placed: Transfer,
  actionClass: 'move' | 'read',
  found: Standing | undefined,
  scope: Scope,
): AuthorizedOperation[] | Unknown {
  const { request, canonical, from } = placed;
  const decision = judgeCarried(placed, actionClass, from, scope);
  refuseCarriedLink(placed, from, canonical, scope.tree.at(from), scope);
  // Where it may replace nothing, anything that stands there refuses by itself.
  const landing = request.overwrite
    ? judgeLanding(placed, canonical, scope)
    : ({ class: 'create', pin: ANY, decision: scope.judge(placed, 'create', canonical) } as const);
  if (!landing) return { kind: 'fact', path: canonical };
  const pin = found?.kind === 'leaf' ? found.pin : ANY;
  return [{ request, canonical, ...landing, source: { canonical: from, class: actionClass, pin, decision } }];
}

/** Whoever moves what it may not read could read it at its new path. */
function judgeCarried(placed: Transfer, actionClass: 'move' | 'read', path: WorkspacePath, scope: Scope) {
  if (actionClass === 'move') scope.judge(placed, 'read', path);
  return scope.judge(placed, actionClass, path);
}

/** The folder's new place must be empty: what comes there is pinned to that by its first folder. */
function emptyPlace(placed: Transfer, scope: Scope): Standing | Unknown {
  const { request, canonical } = placed;
  const there = scope.tree.at(canonical);
  if (!there) return { kind: 'trees', reaches: [{ path: canonical, deep: false }] };
  refuseOdd(placed, canonical, there);
  if (there.kind === 'absent') return there;
  throw new Refused({
    code: 'exists',
    message: `${canonical}: something stands there, and a folder replaces nothing. Give the new path itself, or remove what stands there first`,
    path: canonical,
    action: request.action,
  });
}

function* copyFolder(placed: Transfer, root: Standing, scope: Scope): Judging {
  const place = emptyPlace(placed, scope);
  if ('reaches' in place || !('pin' in place)) return place;
  refuseUnexpected(placed, root);
  const below = scope.tree.below(placed.from);
  scope.reach(placed, below.length);
  const decision = scope.judge(placed, 'read', placed.from);
  const source = { canonical: placed.from, class: 'read', pin: root.pin, decision } as const;
  const operations: AuthorizedOperation[] = [{ ...rootFolder(placed, root, place, scope), source }];
  for (const [path, standing] of below) {
    yield;
    refuseOdd(placed, path, standing);
    operations.push(
      standing.kind === 'directory'
        ? copiedFolder(placed, path as WorkspacePath, standing, scope)
        : carried(placed, path as WorkspacePath, standing, 'read', scope),
    );
  }
  return foldersFirst(operations);
}

function* moveFolder(placed: Transfer, root: Standing, scope: Scope): Judging {
  const place = emptyPlace(placed, scope);
  if ('reaches' in place || !('pin' in place)) return place;
  const below = scope.tree.below(placed.from);
  // Each folder is made and removed.
  scope.reach(placed, below.length + below.filter(([, { kind }]) => kind === 'directory').length + 1);
  const operations = [rootFolder(placed, root, place, scope)];
  const emptied = [leftFolder(placed, placed.from, root, scope)];
  for (const [name, standing] of below) {
    yield;
    const path = name as WorkspacePath;
    refuseOdd(placed, path, standing);
    if (standing.kind === 'directory') {
      operations.push(newFolder(placed, path, standing, scope));
      emptied.push(leftFolder(placed, path, standing, scope));
    } else operations.push(carried(placed, path, standing, 'move', scope));
  }
  return [...foldersFirst(operations), ...emptied.toReversed()];
}

/** Parents before what they hold: that order is kept on both sides. */
const foldersFirst = (operations: readonly AuthorizedOperation[]): AuthorizedOperation[] => [
  ...operations.filter(({ request }) => request.action === 'mkdir'),
  ...operations.filter(({ request }) => request.action !== 'mkdir'),
];

/** Where something of the old folder stands in the new one. */
const newPath = ({ from, canonical }: Transfer, path: string): WorkspacePath =>
  `${canonical}${path.slice(from.length)}` as WorkspacePath;

/** Carries the asked id and the request as it was made; recorded as what was asked for. */
function rootFolder(placed: Transfer, root: Standing, place: Standing, scope: Scope): AuthorizedOperation {
  const { request, canonical, from } = placed;
  return scope.one(placed, 'create', canonical, {
    request: mkdirRequest(request.operation_id, request.to, root),
    pin: place.pin,
    asked: request,
    recorded_as: request.action,
    ...(request.action === 'move' && { moved: { from } }),
  });
}

/** Only the bits that may be asked for: set-id and sticky are not carried over. */
const mkdirRequest = (
  operation_id: OperationRequest['operation_id'],
  path: string,
  { mode }: Standing,
): OperationRequest => ({ action: 'mkdir', operation_id, path, ...(mode !== undefined && { mode: mode & 0o777 }) });

function copiedFolder(placed: Transfer, path: WorkspacePath, standing: Standing, scope: Scope): AuthorizedOperation {
  scope.judge(placed, 'read', path);
  const to = newPath(placed, path);
  const { operation_id } = placed.request;
  const request = mkdirRequest(scope.partId(operation_id, to), to, standing);
  return scope.one(placed, 'create', to, { request, part_of: operation_id });
}

function newFolder(placed: Transfer, path: WorkspacePath, standing: Standing, scope: Scope): AuthorizedOperation {
  const to = newPath(placed, path);
  const { operation_id } = placed.request;
  const request = mkdirRequest(scope.partId(operation_id, to), to, standing);
  return scope.one(placed, 'create', to, { request, part_of: operation_id, moved: { from: path } });
}

/** The old folder, emptied; what the caller expected of what it moves is expected of that one. */
function leftFolder(placed: Transfer, path: WorkspacePath, { pin }: Standing, scope: Scope): AuthorizedOperation {
  const { operation_id, path: typed, expected } = placed.request;
  const asked = path === placed.from;
  const request: OperationRequest = {
    action: 'rmdir',
    operation_id: scope.partId(operation_id, path),
    path: asked ? typed : path,
    ...(asked && expected && { expected }),
  };
  return scope.one(placed, 'move', path, { request, pin, part_of: operation_id, moved: { to: newPath(placed, path) } });
}

/** A file or link of the folder. */
function carried(
  placed: Transfer,
  path: WorkspacePath,
  standing: Standing,
  actionClass: 'move' | 'read',
  scope: Scope,
): AuthorizedOperation {
  const to = newPath(placed, path);
  const { operation_id, action } = placed.request;
  const decision = judgeCarried(placed, actionClass, path, scope);
  refuseCarriedLink(placed, path, to, standing, scope);
  return scope.one(placed, 'create', to, {
    request: { action, operation_id: scope.partId(operation_id, to), path, to },
    part_of: operation_id,
    source: { canonical: path, class: actionClass, pin: standing.pin, decision },
  });
}

function refuseIntoItself({ request, canonical, from }: Transfer): void {
  if (canonical !== from && !canonical.startsWith(`${from}/`)) return;
  const why = canonical === from ? 'it is there already' : 'nothing can lie below itself';
  throw new Refused({
    code: 'into_itself',
    message: `${request.path}: cannot ${request.action} to ${request.to} (${canonical}): ${why}; choose another path`,
    path: from,
    action: request.action,
  });
}

/** A copied folder has no operation on its old path that could be refused: what is expected of it is compared here. */
function refuseUnexpected({ request, from }: Transfer, { found }: Standing): void {
  const { expected } = request;
  if (!expected || !found || samePathState(expected, found)) return;
  const refusal: Refusal = {
    code: 'expected_mismatch',
    message: `${from}: expected ${describePathState(expected)}, found ${describePathState(found)}; look at it again and decide anew`,
    path: from,
    action: request.action,
  };
  throw new Refused(refusal);
}
