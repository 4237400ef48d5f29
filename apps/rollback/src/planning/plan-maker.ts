import {
  canonicalPath,
  isOperator,
  NOBODY,
  type PathState,
  type Principal,
  RetraceError,
  type RollbackPlan,
  type RpcCaller,
  type Selection,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { IndexedOperation } from '../domain/operation-index.js';
import { withHash } from '../domain/plan-hash.js';
import { foldersToEmpty, pathsToLookAt, surroundingsOf } from '../domain/surroundings.js';
import { type Listings, unrecordedIn } from '../domain/unrecorded-entries.js';
import type { OperationHistory } from '../ports/operation-history.port.js';
import type { PlanStore } from '../ports/plan-store.port.js';
import type { WorkspaceFacts } from '../ports/workspace-facts.port.js';
import { BlobCheck } from './blob-check.js';
import { type Deadline, deadlineIn, type FoldWait, lookAgain } from './fold-wait.js';

export interface PlanMakerSettings {
  /** A larger plan, in bytes of JSON, is refused: it must fit a reply, and its report an event. */
  readonly maxPlanBytes: number;
  /** How long to wait for what was just written, in ms. */
  readonly waitMs: number;
  /** How long a content may be missing from the store before it counts as lost, in ms. */
  readonly blobWaitMs: number;
  readonly sha256: (text: string) => string;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** More selected operations give a plan that is too large anyway. */
const MAX_SELECTED = 20_000;
const MAX_AROUND = 100_000;

/** What the index says about a selection at one moment. */
interface Past {
  readonly operations: readonly IndexedOperation[];
  readonly paths: readonly WorkspacePath[];
  /** Folders that the plan may remove. */
  readonly folders: readonly WorkspacePath[];
  readonly at: number;
}

/** Plans rollbacks and keeps the plans. Changes nothing else. */
export class PlanMaker {
  private readonly blobs: BlobCheck;

  constructor(
    private readonly history: OperationHistory,
    private readonly plans: PlanStore,
    private readonly facts: WorkspaceFacts,
    private readonly wait: FoldWait,
    private readonly settings: PlanMakerSettings,
  ) {
    this.blobs = new BlobCheck(facts, settings.blobWaitMs);
  }

  /**
   * Agents plan what is theirs, operators and services anything. Errors: `nothing_selected`, `nothing_to_undo`,
   * `not_yours`, `not_ready`, `reply_too_large`, `bad_request`, and what execution answers.
   */
  async make(selection: Selection, { principal, workspace }: RpcCaller): Promise<RollbackPlan> {
    if (workspace === '_') throw new RetraceError('bad_request', 'a plan is made for a workspace; name one');
    const { past, present, listings } = await this.look(workspace, selection, principal);
    const context = { workspace, requestedBy: principal ?? NOBODY, atSequence: past.at, listings };
    const result = await this.blobs.planWithWhatIsKept(past.operations, present, selection, context);
    if (!result.ok) throw new RetraceError(result.code, result.message);
    const plan = withHash(result.plan, this.settings.sha256);
    this.refuseLarge(plan);
    this.plans.keep(plan, this.settings.now());
    return plan;
  }

  /** Looks at the history and then at the disk, again if something was recorded in between. */
  private async look(workspace: WorkspaceName, selection: Selection, principal: Principal | undefined) {
    const deadline: Deadline = deadlineIn(this.settings.waitMs);
    for (;;) {
      await this.wait.caughtUp(workspace, deadline);
      const past = this.read(workspace, selection, principal);
      const facts = await this.facts.facts(workspace, past.paths);
      const present = new Map<string, PathState>(facts.map(({ path, state }) => [path, state]));
      const folders = past.folders.filter((path) => present.get(path)?.kind === 'directory');
      const listings = await this.facts.listings(workspace, folders);
      const known = new Set<string>(past.operations.map(({ operation_id }) => operation_id));
      const unseen =
        facts.find(({ recorded }) => recorded?.operation_id && !known.has(recorded.operation_id)) ??
        (await this.recordedSince(workspace, unrecorded(listings, present), known, deadline));
      if (!unseen) return { past, present, listings };
      await lookAgain(deadline, `the last change of ${unseen.path} has not reached the log`);
    }
  }

  /** What looks unrecorded may have been made, and recorded, after the history was read. */
  private async recordedSince(
    workspace: WorkspaceName,
    exact: readonly WorkspacePath[],
    known: ReadonlySet<string>,
    deadline: Deadline,
  ): Promise<IndexedOperation | undefined> {
    if (exact.length === 0) return undefined;
    await this.wait.caughtUp(workspace, deadline);
    const recorded = this.history.around(workspace, { exact, folders: [] }, MAX_AROUND);
    return recorded.find(({ operation_id }) => !known.has(operation_id));
  }

  /** Reads in one go: nothing is folded in between. */
  private read(workspace: WorkspaceName, selection: Selection, principal: Principal | undefined): Past {
    const selected = this.history.selected(workspace, selection, MAX_SELECTED + 1);
    if (selected.length === 0) throw this.nothing(workspace, selection, principal);
    refuseMany(selected.length, MAX_SELECTED);
    refuseForeign(
      selected.map(({ agent }) => agent),
      principal,
    );
    const surroundings = surroundingsOf(selected);
    const operations = this.history.around(workspace, surroundings, MAX_AROUND + 1);
    refuseMany(operations.length, MAX_AROUND);
    const at = this.history.foldedTo(workspace);
    const paths = pathsToLookAt(surroundings, operations);
    return { operations, paths, folders: foldersToEmpty(selected), at };
  }

  private nothing(workspace: WorkspaceName, selection: Selection, principal: Principal | undefined): RetraceError {
    const failed = this.history.failure(workspace, selection);
    if (!failed)
      return new RetraceError('nothing_selected', `${workspace}: nothing was applied under ${named(selection)}`);
    refuseForeign([failed.agent], principal);
    return new RetraceError(
      'nothing_to_undo',
      `${failed.logical_operation_id} failed (${failed.code}): nothing of it was applied, so there is nothing to take back`,
    );
  }

  private refuseLarge(plan: RollbackPlan): void {
    const bytes = Buffer.byteLength(JSON.stringify(plan));
    if (bytes > this.settings.maxPlanBytes)
      throw new RetraceError('reply_too_large', `the plan has ${bytes} bytes; ${SELECT_LESS}`);
  }
}

/** Names that are no paths were never recorded. */
const unrecorded = (listings: Listings, present: ReadonlyMap<string, PathState>): WorkspacePath[] =>
  [...listings].flatMap(([folder, listing]) =>
    unrecordedIn(folder, listing, (path) => present.get(path)).flatMap((name) => {
      const parsed = canonicalPath(`${folder}/${name}`);
      return parsed.ok ? [parsed.path] : [];
    }),
  );

const SELECT_LESS = 'select less: undo one logical operation after the other, newest first';

function refuseMany(count: number, limit: number): void {
  if (count > limit) throw new RetraceError('reply_too_large', `more than ${limit} operations matter; ${SELECT_LESS}`);
}

function refuseForeign(agents: readonly Principal[], principal: Principal | undefined): void {
  if (principal === undefined || isOperator(principal)) return;
  const foreign = agents.find((agent) => agent !== principal);
  if (foreign)
    throw new RetraceError(
      'not_yours',
      `${principal} may take back its own work; this is of ${foreign}: ask an operator`,
    );
}

const named = (selection: Selection): string => {
  switch (selection.by) {
    case 'operation':
      return selection.operation_id;
    case 'logical_operation':
      return selection.logical_operation_id;
    case 'session':
      return selection.session_id;
    default:
      return selection.by;
  }
};
