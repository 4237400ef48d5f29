import {
  ABSENT,
  type OperationId,
  type PathState,
  type RestoreStep,
  type RollbackOptions,
  samePathState,
} from '@retrace/contracts';
import type { Chain } from './chains.js';
import type { History } from './history.js';
import { type Obstacle, preImageLost, tooManyToMove } from './obstacle.js';
import type { IndexedOperation } from './operation-index.js';
import { movedFrom, restoreSteps } from './restore-steps.js';
import { ReverseWalk, type Taken } from './reverse-walk.js';
import type { SelectedUnit } from './selected-units.js';
import { SimulatedTree } from './simulated-tree.js';
import type { MergeRequest, Merges } from './state-merge.js';
import { type Listings, makersOfFoldersInUse } from './unrecorded-entries.js';

/** A phase takes some tens of milliseconds; a unit is never cut. */
const OPERATIONS_PER_PHASE = 1000;

export interface Walked {
  readonly units: readonly (readonly [SelectedUnit, Taken])[];
  readonly chains: readonly Chain[];
  readonly needs: readonly MergeRequest[];
  readonly steps: readonly RestoreStep[];
  readonly tree: SimulatedTree;
}

/** What is known beside the past and the present. */
export interface Known {
  /** Hashes of pre-images that the store does not hold. */
  readonly lostBlobs?: ReadonlySet<string>;
  /** What lies in the folders that the plan may remove. */
  readonly listings?: Listings;
  /** What came of the merges that earlier results asked for. */
  readonly merges?: Merges;
}

/**
 * Only what a path ends as must be at hand, and only a folder that ends as none must be empty, so both are known after a
 * walk: each walk bars what cannot be restored and what cannot be removed.
 */
export function* walkAll(
  past: History,
  present: ReadonlyMap<string, PathState>,
  units: readonly SelectedUnit[],
  options: RollbackOptions,
  { lostBlobs = new Set(), listings = new Map(), merges = new Map() }: Known,
): Generator<undefined, Walked> {
  const barred = new Map<OperationId, Obstacle>();
  for (;;) {
    const tree = new SimulatedTree(present, past);
    const walk = new ReverseWalk(past, tree, { options, merges, barred });
    const taken: (readonly [SelectedUnit, Taken])[] = [];
    let since = 0;
    for (const unit of units) {
      taken.push([unit, walk.takeBack(unit)]);
      since += unit.operations.length;
      if (since < OPERATIONS_PER_PHASE) continue;
      since = 0;
      yield;
    }
    yield;
    const chains = walk.chains.values();
    const needs = [...walk.needs.values()];
    const steps = needs.length > 0 ? [] : restoreSteps(chains, endsOf(tree));
    const walked = { units: taken, chains, needs, steps, tree };
    yield;
    if (needs.length > 0) return walked;
    const found = [...makersOfFoldersInUse(walked.chains, endsOf(tree), listings), ...lostIn(walked, lostBlobs)];
    if (found.length === 0) return walked;
    for (const [id, obstacle] of found) barred.set(id, obstacle);
  }
}

const endsOf = (tree: SimulatedTree) => ({
  present: (path: string): PathState => tree.presentState(path) ?? ABSENT,
  final: (path: string): PathState => tree.state(path) ?? ABSENT,
  origin: (path: string) => tree.origin(path),
});

function lostIn({ chains, steps: all, tree }: Walked, lostBlobs: ReadonlySet<string>): [OperationId, Obstacle][] {
  const ends = endsOf(tree);
  const brought = new Set<string>(all.flatMap(({ path, moves_from }) => (moves_from === undefined ? [] : [path])));
  return chains.flatMap(({ path, operations, how }): [OperationId, Obstacle][] => {
    const oldest = operations.at(-1)!;
    const present = ends.present(path);
    const restore = ends.final(path);
    const promised = how === 'merge' || oldest.undoable;
    const kept = samePathState(restore, present) || brought.has(path);
    if (kept || (promised && canBeMade(restore, lostBlobs))) return [];
    const from = movedFrom(path, ends);
    if (from !== undefined) return [[oldest.operation_id, tooManyToMove(oldest, path, present, from)]];
    const lost = how === 'restore' ? lostFrom(operations, present, lostBlobs) : [oldest];
    return lost.map((operation) => [operation.operation_id, preImageLost(operation, path, present)]);
  });
}

/**
 * The oldest one of a chain, and those after it that could not be the oldest either: each of them would be, in one walk
 * after the other.
 */
function lostFrom(
  newestFirst: readonly IndexedOperation[],
  present: PathState,
  lostBlobs: ReadonlySet<string>,
): IndexedOperation[] {
  const [oldest, ...newer] = newestFirst.toReversed();
  const end = newer.findIndex(
    ({ before, undoable }) => samePathState(before, present) || (undoable && canBeMade(before, lostBlobs)),
  );
  return [oldest!, ...(end < 0 ? newer : newer.slice(0, end))];
}

function canBeMade(state: PathState, lostBlobs: ReadonlySet<string>): boolean {
  switch (state.kind) {
    case 'absent':
    case 'directory':
    case 'link':
      return true;
    case 'file':
      return !lostBlobs.has(state.hash);
    case 'other':
      return false;
  }
}
