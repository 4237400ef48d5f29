import {
  ABSENT,
  type LeftOut,
  type OperationId,
  type PathState,
  type Principal,
  type RestoreStep,
  type RollbackOptions,
  samePathState,
  type Selection,
  type WorkspaceName,
} from '@retrace/contracts';
import type { Chain } from './chains.js';
import { foldersNeeded } from './folders-needed.js';
import { History } from './history.js';
import { leftOut, notAlone, type Obstacle, preImageLost, tooManyToMove } from './obstacle.js';
import type { IndexedOperation } from './operation-index.js';
import type { PlanBody } from './plan-hash.js';
import { movedFrom, restoreSteps } from './restore-steps.js';
import { revokedRollbacks } from './revoked-rollbacks.js';
import { ReverseWalk, type Taken } from './reverse-walk.js';
import { type SelectedUnit, selectedUnits, type UnitSize } from './selected-units.js';
import { SimulatedTree } from './simulated-tree.js';
import type { MergeRequest, Merges } from './state-merge.js';
import { type Listings, makersOfFoldersInUse } from './unrecorded-entries.js';

export interface PlanContext {
  readonly workspace: WorkspaceName;
  readonly requestedBy: Principal;
  /** Of the log, up to which the past was folded. */
  readonly atSequence: number;
  /** Hashes of pre-images that the store does not hold. */
  readonly lostBlobs?: ReadonlySet<string>;
  /** What lies in the folders that the plan may remove. */
  readonly listings?: Listings;
  /** What came of the merges that earlier results asked for. */
  readonly merges?: Merges;
}

/** What is to be taken back, and how. */
export interface PlanRequest {
  readonly selection: Selection;
  readonly except: readonly Selection[];
  readonly options: RollbackOptions;
  /** The operations that `selection` names and `except` does not. */
  readonly selected: ReadonlySet<OperationId>;
  /** Those that both name: they stay, whatever else needs them to go. */
  readonly spared?: ReadonlySet<OperationId>;
  readonly size: UnitSize;
  /** Earlier rollbacks of selected work that the plan takes back on its way. */
  readonly revoked?: ReadonlySet<OperationId>;
}

export type PlanResult =
  | { readonly status: 'planned'; readonly plan: PlanBody }
  /** Plan again with what came of these. */
  | { readonly status: 'merges_needed'; readonly merges: readonly MergeRequest[] }
  | { readonly status: 'refused'; readonly code: 'nothing_selected' | 'nothing_to_undo'; readonly message: string };

/**
 * Plans a rollback: a reverse walk over a simulated tree, newest selected unit first, each whole or not at all. What has a
 * later change of others, or of the outside, standing on it is left out and listed; the options say what else to do.
 *
 * `past` holds at least all recorded operations on the selected paths, on those that their objects were moved to, on
 * the folders above them, and below selected folders, in any order. `present` is the disk; a path that it does not name
 * is taken to be as recorded. Of folders that may be removed, `context.listings` tells what else lies in them.
 */
export function plan(...given: Parameters<typeof planning>): PlanResult {
  const phases = planning(...given);
  for (;;) {
    const { done, value } = phases.next();
    if (done) return value;
  }
}

/** The same in phases, for who has other things to do in between: a large plan takes seconds. */
export function* planning(
  past: History,
  present: ReadonlyMap<string, PathState>,
  request: PlanRequest,
  context: PlanContext,
): Generator<undefined, PlanResult> {
  const folders = foldersNeeded(past, present, request.selected, request.spared);
  if (folders.length > 0)
    return yield* planning(
      past,
      present,
      { ...request, selected: new Set([...request.selected, ...folders]) },
      context,
    );
  const revoked = revokedRollbacks(past, request.selected);
  if (revoked.size > 0) return yield* planRevoking(revoked, past, present, request, context);
  const units = selectedUnits(past, request.selected, request.size);
  if (units.length === 0)
    return refuse('nothing_selected', 'nothing that was applied is selected; see what there is: retrace log');
  const isLive = ({ operations }: SelectedUnit): boolean => operations.some((operation) => past.isLive(operation));
  if (!units.some(isLive)) return refuse('nothing_to_undo', 'all that is selected is already taken back');
  const wanted = namesUnits(request.selection) ? units : units.filter(isLive);
  const walked = yield* walkAll(past, present, wanted, request, context);
  if (walked.needs.length > 0) return { status: 'merges_needed', merges: walked.needs };
  return { status: 'planned', plan: body(walked, request, context) };
}

/** What such a rollback took back stands again, and may show that an earlier one stands in the way as well. */
function* planRevoking(
  found: ReadonlySet<OperationId>,
  { operations }: History,
  present: ReadonlyMap<string, PathState>,
  request: PlanRequest,
  context: PlanContext,
): Generator<undefined, PlanResult> {
  yield;
  const revoked = new Set([...found, ...(request.revoked ?? [])]);
  // Who ran an earlier rollback of the selected work owns none of it.
  const selected = new Set([...request.selected, ...found]);
  return yield* planning(new History(operations, revoked), present, { ...request, selected, revoked }, context);
}

const refuse = (code: 'nothing_selected' | 'nothing_to_undo', message: string): PlanResult => ({
  status: 'refused',
  code,
  message,
});

/** Of what was asked for by its id it is said that it is undone already; wider selections mean what still stands. */
const namesUnits = ({ by }: Selection): boolean =>
  by === 'operation' || by === 'logical_operation' || by === 'session' || by === 'step';

/** A phase takes some tens of milliseconds; a unit is never cut. */
const OPERATIONS_PER_PHASE = 1000;

interface Walked {
  readonly units: readonly (readonly [SelectedUnit, Taken])[];
  readonly chains: readonly Chain[];
  readonly needs: readonly MergeRequest[];
  readonly steps: readonly RestoreStep[];
  readonly tree: SimulatedTree;
}

/**
 * Only what a path ends as must be at hand, and only a folder that ends as none must be empty, so both are known after a
 * walk: each walk bars what cannot be restored and what cannot be removed.
 */
function* walkAll(
  past: History,
  present: ReadonlyMap<string, PathState>,
  units: readonly SelectedUnit[],
  request: PlanRequest,
  { lostBlobs = new Set(), listings = new Map(), merges = new Map() }: PlanContext,
): Generator<undefined, Walked> {
  const barred = new Map<OperationId, Obstacle>();
  const options = effective(request);
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

/** What others changed is no longer what the session created, whatever else is asked for. */
const effective = ({ selection, options }: PlanRequest): RollbackOptions =>
  selection.by === 'created' ? { ...options, merge: false, force: false } : options;

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

function body(walked: Walked, request: PlanRequest, context: PlanContext): PlanBody {
  const { units, chains } = walked;
  const left = units.flatMap(([unit, taken]) => leftOutOf(unit, taken));
  const none = request.options.all_or_none && left.some(({ why }) => why !== 'undone');
  const taken = none ? [] : units.filter((unit) => unit[1].taken.length > 0);
  const steps = none ? [] : [...walked.steps];
  return {
    workspace: context.workspace,
    requested_by: context.requestedBy,
    selection: request.selection,
    except: [...request.except],
    options: request.options,
    at_sequence: context.atSequence,
    undoes: [...new Set(taken.map(([unit]) => unit.logical_operation_id))],
    owners: none
      ? []
      : ownersOf(
          taken.flatMap((unit) => unit[1].taken).filter(({ operation_id }) => !request.revoked?.has(operation_id)),
          chains,
        ),
    steps,
    step_count: steps.length,
    left_out: none ? [...left, ...notAloneOf(walked)] : left,
  };
}

const leftOutOf = ({ logical_operation_id }: SelectedUnit, { taken, left }: Taken): LeftOut[] =>
  taken.length > 0
    ? left.map((obstacle) => leftOut(logical_operation_id, obstacle, true))
    : left.slice(0, 1).map((obstacle) => leftOut(logical_operation_id, obstacle, false));

const notAloneOf = ({ units, tree }: Walked): LeftOut[] =>
  units.flatMap(([{ logical_operation_id }, { taken, left }]) => {
    const [operation] = taken;
    if (!operation || left.length > 0) return [];
    const { path } = operation;
    return [leftOut(logical_operation_id, notAlone(operation, path, tree.presentState(path) ?? ABSENT), false)];
  });

const ownersOf = (taken: readonly IndexedOperation[], chains: readonly Chain[]): Principal[] =>
  [...new Set([...taken.map(({ agent }) => agent), ...chains.flatMap(({ over }) => [...over])])].toSorted();
