import {
  ABSENT,
  type LogicalOperationId,
  type PathState,
  type Principal,
  samePathState,
  type Selection,
  type WorkspaceName,
} from '@retrace/contracts';
import { History } from './history.js';
import { leftOut, type Obstacle, preImageLost } from './obstacle.js';
import type { IndexedOperation } from './operation-index.js';
import type { PlanBody } from './plan-hash.js';
import { restoreSteps } from './restore-steps.js';
import { ReverseWalk } from './reverse-walk.js';
import { type SelectedUnit, selectedUnits } from './selected-units.js';
import { SimulatedTree } from './simulated-tree.js';
import { type Listings, makersOfFoldersInUse } from './unrecorded-entries.js';

export interface PlanContext {
  readonly workspace: WorkspaceName;
  readonly requestedBy: Principal;
  /** Of the log, up to which `history` was folded. */
  readonly atSequence: number;
  /** Hashes of pre-images that the store does not hold. */
  readonly lostBlobs?: ReadonlySet<string>;
  /** What lies in the folders that the plan may remove. */
  readonly listings?: Listings;
}

export type PlanResult =
  | { readonly ok: true; readonly plan: PlanBody }
  | { readonly ok: false; readonly code: 'nothing_selected' | 'nothing_to_undo'; readonly message: string };

/**
 * Plans a rollback: a reverse walk over a simulated tree, newest selected logical operation first, each whole or not at
 * all. What has a later change of others, or of the outside, standing on it is left out and listed.
 *
 * `history` holds at least all recorded operations on the selected paths, on the folders above them, and below selected
 * folders, in any order. `present` is the disk; a path that it does not name is taken to be as recorded.
 * Of folders that may be removed, `context.listings` tells what else lies in them.
 */
export function plan(
  history: readonly IndexedOperation[],
  present: ReadonlyMap<string, PathState>,
  selection: Selection,
  context: PlanContext,
): PlanResult {
  const past = new History(history);
  const units = selectedUnits(past.operations, selection);
  if (units.length === 0)
    return refuse('nothing_selected', 'nothing that was applied is selected; see what there is: retrace log');
  if (!units.some(({ operations }) => operations.some((operation) => past.isLive(operation))))
    return refuse('nothing_to_undo', 'all that is selected is already taken back');
  return { ok: true, plan: body(walkAll(past, present, units, context), selection, context) };
}

const refuse = (code: 'nothing_selected' | 'nothing_to_undo', message: string): PlanResult => ({
  ok: false,
  code,
  message,
});

interface Walked {
  readonly undone: readonly SelectedUnit[];
  readonly leftOut: readonly (readonly [SelectedUnit, Obstacle])[];
  readonly chains: ReadonlyMap<string, readonly IndexedOperation[]>;
  readonly present: (path: string) => PathState;
}

/**
 * Only what a path ends as must be at hand, and only a folder that ends as none must be empty, so both are known after a
 * walk: each walk bars what cannot be restored and what cannot be removed.
 */
function walkAll(
  past: History,
  present: ReadonlyMap<string, PathState>,
  units: readonly SelectedUnit[],
  { lostBlobs = new Set(), listings = new Map() }: Pick<PlanContext, 'lostBlobs' | 'listings'>,
): Walked {
  const barred = new Map<LogicalOperationId, Obstacle>();
  for (;;) {
    const walked = walkOnce(past, present, units, barred);
    const found = [...makersOfFoldersInUse(walked.chains, walked.present, listings), ...lostIn(walked, lostBlobs)];
    if (found.length === 0) return walked;
    for (const [id, obstacle] of found) barred.set(id, obstacle);
  }
}

function walkOnce(
  past: History,
  present: ReadonlyMap<string, PathState>,
  units: readonly SelectedUnit[],
  barred: ReadonlyMap<LogicalOperationId, Obstacle>,
): Walked {
  const tree = new SimulatedTree(present, past);
  const walk = new ReverseWalk(past, tree);
  const undone: SelectedUnit[] = [];
  const left: [SelectedUnit, Obstacle][] = [];
  for (const unit of units) {
    const obstacle = barred.get(unit.logical_operation_id) ?? walk.takeBack(unit);
    if (obstacle) left.push([unit, obstacle]);
    else undone.push(unit);
  }
  return { undone, leftOut: left, chains: walk.chains, present: (path) => tree.presentState(path) ?? ABSENT };
}

function lostIn({ chains, present }: Walked, lostBlobs: ReadonlySet<string>): [LogicalOperationId, Obstacle][] {
  return [...chains.values()].flatMap((chain): [LogicalOperationId, Obstacle][] => {
    const oldest = chain.at(-1)!;
    const found = present(oldest.path);
    const lost = !oldest.undoable || !canBeMade(oldest.before, lostBlobs);
    return lost && !samePathState(oldest.before, found)
      ? [[oldest.logical_operation_id, preImageLost(oldest, found)]]
      : [];
  });
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

const body = (walked: Walked, selection: Selection, { workspace, requestedBy, atSequence }: PlanContext): PlanBody => ({
  workspace,
  requested_by: requestedBy,
  selection,
  except: [],
  options: { merge: false, force: false, skip: false, all_or_none: false },
  at_sequence: atSequence,
  undoes: walked.undone.map(({ logical_operation_id }) => logical_operation_id),
  owners: [...new Set(walked.undone.flatMap(ownersOf))].toSorted(),
  ...stepsOf(restoreSteps(walked.chains, walked.present)),
  left_out: walked.leftOut.map(([unit, obstacle]) => leftOut(unit, obstacle)),
});

const stepsOf = (steps: PlanBody['steps']) => ({ steps, step_count: steps.length });

const ownersOf = ({ operations }: SelectedUnit): Principal[] => operations.map(({ agent }) => agent);
