import {
  ABSENT,
  type LeftOut,
  type OperationId,
  type PathState,
  type Principal,
  type RollbackOptions,
  type Selection,
  type WorkspaceName,
} from '@retrace/contracts';
import type { Chain } from './chains.js';
import { foldersNeeded } from './folders-needed.js';
import { History } from './history.js';
import { leftOut, notAlone } from './obstacle.js';
import type { IndexedOperation } from './operation-index.js';
import type { PlanBody } from './plan-hash.js';
import { revokedRollbacks } from './revoked-rollbacks.js';
import type { Taken } from './reverse-walk.js';
import { type SelectedUnit, selectedUnits, type UnitSize } from './selected-units.js';
import type { MergeRequest } from './state-merge.js';
import { type Known, walkAll, type Walked } from './walks.js';

export interface PlanContext extends Known {
  readonly workspace: WorkspaceName;
  readonly requestedBy: Principal;
  /** Of the log, up to which the past was folded. */
  readonly atSequence: number;
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
  const walked = yield* walkAll(past, present, wanted, effective(request), context);
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

/** What others changed is no longer what the session created, whatever else is asked for. */
const effective = ({ selection, options }: PlanRequest): RollbackOptions =>
  selection.by === 'created' ? { ...options, merge: false, force: false } : options;

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
