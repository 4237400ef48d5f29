import {
  type OperationId,
  RetraceError,
  type RollbackOptions,
  type Selection,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import { createdBy } from '../domain/created-objects.js';
import { History } from '../domain/history.js';
import type { IndexedOperation } from '../domain/operation-index.js';
import type { PlanRequest } from '../domain/planner.js';
import { type Resolved, unitSize } from '../domain/selecting.js';
import { foldersToEmpty, follow, pathsToLookAt, reachOf, surroundingsOf } from '../domain/surroundings.js';
import { pathGlob } from '@retrace/path-globs';
import type { OperationHistory } from '../ports/operation-history.port.js';
import { named } from './selection-name.js';

/** A folder's move of 10,000 files has a record for both ends of each; several such operations are planned at once. */
export const MAX_SELECTED = 100_000;
export const MAX_AROUND = 300_000;

/** What somebody asks to take back. */
export interface Asked {
  readonly selection: Selection;
  readonly except: readonly Selection[];
  readonly options: RollbackOptions;
}

/** What the index says about a request at one moment. */
export interface Past {
  readonly request: PlanRequest;
  readonly selected: readonly IndexedOperation[];
  readonly history: History;
  readonly paths: readonly WorkspacePath[];
  /** Folders that the plan may remove. */
  readonly folders: readonly WorkspacePath[];
  readonly at: number;
}

export const SELECT_LESS = 'select less: undo one logical operation after the other, newest first';

/** Reads the index: nothing is folded in between. */
export class SelectedPast {
  constructor(
    private readonly history: OperationHistory,
    private readonly workspace: WorkspaceName,
  ) {}

  /** Errors: `nothing_selected`, `nothing_to_undo`, `reply_too_large`, `bad_request`. */
  read({ selection, except, options }: Asked): Past {
    const resolved = this.resolve(selection);
    const found = this.selected(resolved);
    const spared = except.map((each) => this.resolve(each)).map((each) => [each, this.selected(each)] as const);
    const { operations, paths, folders } = this.around([...found, ...spared.flatMap(([, some]) => some)]);
    const history = new History(operations);
    const selected = new Set(taken(history, resolved, found));
    const excepted = new Set(spared.flatMap(([each, some]) => [...taken(history, each, some)]));
    for (const id of excepted) selected.delete(id);
    if (found.length > 0 && selected.size === 0) throw nothingLeft(selection);
    return {
      request: { selection, except, options, selected, spared: excepted, size: unitSize(selection) },
      selected: found.filter(({ operation_id }) => selected.has(operation_id)),
      history,
      paths,
      folders,
      at: this.history.foldedTo(this.workspace),
    };
  }

  /** Errors: `nothing_selected`, which says what there is. */
  resolve(selection: Selection): Resolved {
    if (selection.by !== 'step') return selection;
    const { session_id, step } = selection;
    const logical_operation_id = this.history.stepOf(this.workspace, session_id, step);
    if (logical_operation_id) return { by: 'logical_operation', logical_operation_id };
    const count = this.history.stepCount(this.workspace, session_id);
    const there = count === 0 ? 'it has none' : count === 1 ? 'it has one: 1' : `it has ${count}: 1 to ${count}`;
    throw new RetraceError(
      'nothing_selected',
      `${session_id} has no step ${step} (applied logical operations, rollbacks not counted): ${there}`,
    );
  }

  private selected(selection: Resolved): IndexedOperation[] {
    const selected = this.history.selected(this.workspace, selection, MAX_SELECTED + 1);
    refuseMany(selected.length, MAX_SELECTED);
    return selected;
  }

  private around(
    selected: readonly IndexedOperation[],
  ): Pick<Past, 'paths' | 'folders'> & { readonly operations: readonly IndexedOperation[] } {
    let reach = reachOf(selected);
    for (;;) {
      const surroundings = surroundingsOf(reach);
      const operations = this.history.around(this.workspace, surroundings, MAX_AROUND + 1);
      refuseMany(operations.length, MAX_AROUND);
      const more = follow(reach, operations);
      if (more === reach) {
        const paths = pathsToLookAt(surroundings, operations);
        return { operations, paths, folders: foldersToEmpty(selected, operations) };
      }
      reach = more;
    }
  }
}

/** Of a session's work only what it did to the objects that it made. */
function taken(history: History, selection: Resolved, found: readonly IndexedOperation[]): Iterable<OperationId> {
  if (selection.by !== 'created') return found.map(({ operation_id }) => operation_id);
  const { session_id, glob } = selection;
  return createdBy(history, session_id, glob === undefined ? () => true : pathGlob(glob));
}

const nothingLeft = (selection: Selection): RetraceError =>
  new RetraceError(
    'nothing_selected',
    selection.by === 'created'
      ? `${named(selection)}: nothing that it made still stands`
      : `${named(selection)}: all of it is excepted`,
  );

function refuseMany(count: number, limit: number): void {
  if (count > limit) throw new RetraceError('reply_too_large', `more than ${limit} operations matter; ${SELECT_LESS}`);
}
