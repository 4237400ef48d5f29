import {
  canonicalPath,
  isOperator,
  type LeftOut,
  type LogicalOperationId,
  NOBODY,
  type PathState,
  type Principal,
  RetraceError,
  type RollbackOptions,
  type RollbackPlan,
  type RpcCaller,
  type Selection,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import type { IndexedOperation } from '../domain/operation-index.js';
import { type PlanBody, withHash } from '../domain/plan-hash.js';
import { type Listings, unrecordedIn } from '../domain/unrecorded-entries.js';
import type { Contents } from '../ports/contents.port.js';
import type { OperationHistory } from '../ports/operation-history.port.js';
import type { PlanStore } from '../ports/plan-store.port.js';
import type { WorkspaceFacts } from '../ports/workspace-facts.port.js';
import { BlobCheck } from './blob-check.js';
import { type Deadline, deadlineIn, type FoldWait, lookAgain } from './fold-wait.js';
import { MergeDesk } from './merge-desk.js';
import { firstPage } from './plan-pages.js';
import { planToTheEnd } from './planning-round.js';
import { type Asked, MAX_AROUND, type Past, SELECT_LESS, SelectedPast } from './selected-past.js';
import { named } from './selection-name.js';

export interface PlanMakerSettings {
  /** What a plan says beside its steps may have so many bytes of JSON: it must fit a reply, and its report an event. */
  readonly maxPlanBytes: number;
  /** How long to wait for what was just written, in ms. */
  readonly waitMs: number;
  /** How long a content may be missing from the store before it counts as lost, in ms. */
  readonly blobWaitMs: number;
  readonly sha256: (content: string | Uint8Array) => string;
  /** Ms since 1970. */
  readonly now: () => number;
}

export interface PlanRequested {
  readonly selection: Selection;
  readonly except?: readonly Selection[] | undefined;
  readonly options?: { readonly [Option in keyof RollbackOptions]?: boolean | undefined } | undefined;
}

/** Plans rollbacks and keeps the plans. Changes nothing else. */
export class PlanMaker {
  constructor(
    private readonly history: OperationHistory,
    private readonly plans: PlanStore,
    private readonly facts: WorkspaceFacts,
    private readonly contents: Contents,
    private readonly wait: FoldWait,
    private readonly settings: PlanMakerSettings,
  ) {}

  /**
   * Agents plan what is theirs, operators and services anything. Answers the first steps alone. Errors:
   * `nothing_selected`, `nothing_to_undo`, `not_yours`, `not_ready`, `reply_too_large`, `bad_request`, and what execution
   * answers.
   */
  async make({ selection, except = [], options }: PlanRequested, caller: RpcCaller): Promise<RollbackPlan> {
    const { principal, workspace } = caller;
    if (workspace === '_') throw new RetraceError('bad_request', 'a plan is made for a workspace; name one');
    const asked = { selection, except, options: allOptions(options) };
    const plan = await this.plan(workspace, asked, principal ?? NOBODY, principal);
    this.refuseLarge(plan);
    this.plans.keep(plan, this.settings.now());
    failpoint('plan.after-keep');
    return firstPage(plan);
  }

  /**
   * The plan for a logical operation that was aborted; conflicts are left out, and there may be nothing to do. It is not
   * kept. Errors: `not_ready`, `reply_too_large`, and what execution answers.
   */
  async forAborted(
    workspace: WorkspaceName,
    logical_operation_id: LogicalOperationId,
    agent: Principal,
  ): Promise<RollbackPlan> {
    const asked = abortOf(logical_operation_id);
    try {
      const { plan_hash: _, ...body } = await this.plan(workspace, asked, agent, undefined);
      const left_out = fitting(body.left_out, this.settings.maxPlanBytes);
      return withHash({ ...body, left_out }, this.settings.sha256);
    } catch (error) {
      if (!(error instanceof RetraceError) || !NOTHING.has(error.code)) throw error;
      return this.nothingFor(workspace, asked, agent);
    }
  }

  /** The plan that takes nothing of an aborted logical operation back. */
  emptyForAborted(workspace: WorkspaceName, logical_operation_id: LogicalOperationId, agent: Principal): RollbackPlan {
    return this.nothingFor(workspace, abortOf(logical_operation_id), agent);
  }

  private nothingFor(workspace: WorkspaceName, asked: Asked, agent: Principal): RollbackPlan {
    return withHash(nothingOf(workspace, asked, agent, this.history.foldedTo(workspace)), this.settings.sha256);
  }

  private async plan(
    workspace: WorkspaceName,
    asked: Asked,
    requestedBy: Principal,
    principal: Principal | undefined,
  ): Promise<RollbackPlan> {
    const { past, present, listings } = await this.look(workspace, asked, principal);
    const result = await planToTheEnd(
      { history: past.history, present },
      past.request,
      { workspace, requestedBy, atSequence: past.at, listings },
      {
        desk: new MergeDesk(workspace, this.contents, this.settings.sha256),
        blobs: new BlobCheck(workspace, this.facts, this.settings.blobWaitMs),
      },
    );
    if (result.status === 'refused') throw new RetraceError(result.code, result.message);
    return withHash(result.plan, this.settings.sha256);
  }

  /** Looks at the history and then at the disk, again if something was recorded in between. */
  private async look(workspace: WorkspaceName, asked: Asked, principal: Principal | undefined) {
    const deadline: Deadline = deadlineIn(this.settings.waitMs);
    for (;;) {
      await this.wait.caughtUp(workspace, deadline);
      const past = this.read(workspace, asked, principal);
      const facts = await this.facts.facts(workspace, past.paths);
      const present = new Map<string, PathState>(facts.map(({ path, state }) => [path, state]));
      const folders = past.folders.filter((path) => present.get(path)?.kind === 'directory');
      const listings = await this.facts.listings(workspace, folders);
      const known = new Set<string>(past.history.operations.map(({ operation_id }) => operation_id));
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

  private read(workspace: WorkspaceName, asked: Asked, principal: Principal | undefined): Past {
    const reader = new SelectedPast(this.history, workspace);
    const past = reader.read(asked);
    if (past.selected.length === 0) throw this.nothing(workspace, asked, reader, principal);
    refuseForeign(
      past.selected.map(({ agent }) => agent),
      principal,
    );
    return past;
  }

  private nothing(
    workspace: WorkspaceName,
    { selection }: Asked,
    reader: SelectedPast,
    principal: Principal | undefined,
  ): RetraceError {
    const failed = this.history.failure(workspace, reader.resolve(selection));
    if (!failed)
      return new RetraceError('nothing_selected', `${workspace}: nothing was applied under ${named(selection)}`);
    refuseForeign([failed.agent], principal);
    return new RetraceError(
      'nothing_to_undo',
      `${failed.logical_operation_id} failed (${failed.code}): nothing of it was applied, so there is nothing to take back`,
    );
  }

  private refuseLarge({ steps, ...head }: RollbackPlan): void {
    const marked = steps.filter(({ how }) => how !== 'restore').map(({ path }) => path);
    const bytes = Buffer.byteLength(JSON.stringify([head, marked]));
    if (bytes > this.settings.maxPlanBytes)
      throw new RetraceError('reply_too_large', `the plan has ${bytes} bytes beside its steps; ${SELECT_LESS}`);
  }
}

/** Nobody can ask for less where an abort is planned: what does not fit its report is counted. */
function fitting(leftOut: readonly LeftOut[], maxBytes: number): LeftOut[] {
  const listed: LeftOut[] = [];
  let bytes = 0;
  for (const each of leftOut) {
    bytes += Buffer.byteLength(JSON.stringify(each));
    if (bytes > maxBytes) break;
    listed.push(each);
  }
  const last = listed.at(-1);
  const more = leftOut.length - listed.length;
  return more === 0 || !last
    ? listed
    : [...listed.slice(0, -1), { ...last, message: `${last.message} (and ${more} more paths are left out)` }];
}

const NO_OPTIONS: RollbackOptions = { merge: false, force: false, skip: false, all_or_none: false };
const abortOf = (logical_operation_id: LogicalOperationId): Asked => ({
  selection: { by: 'logical_operation', logical_operation_id },
  except: [],
  options: { ...NO_OPTIONS, skip: true },
});
/** Codes that say: there is nothing to take back. */
const NOTHING: ReadonlySet<string> = new Set(['nothing_selected', 'nothing_to_undo']);

function allOptions(given: PlanRequested['options'] = {}): RollbackOptions {
  const { merge = false, force = false, skip = false, all_or_none = false } = given;
  return { merge, force, skip, all_or_none };
}

const nothingOf = (workspace: WorkspaceName, asked: Asked, agent: Principal, at: number): PlanBody => ({
  workspace,
  requested_by: agent,
  selection: asked.selection,
  except: [],
  options: asked.options,
  at_sequence: at,
  undoes: [],
  owners: [],
  steps: [],
  step_count: 0,
  left_out: [],
});

/** Names that are no paths were never recorded. */
const unrecorded = (listings: Listings, present: ReadonlyMap<string, PathState>): WorkspacePath[] =>
  [...listings].flatMap(([folder, listing]) =>
    unrecordedIn(folder, listing, (path) => present.get(path)).flatMap((name) => {
      const parsed = canonicalPath(`${folder}/${name}`);
      return parsed.ok ? [parsed.path] : [];
    }),
  );

function refuseForeign(agents: readonly Principal[], principal: Principal | undefined): void {
  if (principal === undefined || isOperator(principal)) return;
  const foreign = agents.find((agent) => agent !== principal);
  if (foreign)
    throw new RetraceError(
      'not_yours',
      `${principal} may take back its own work; this is of ${foreign}: narrow it to your own, or ask an operator`,
    );
}
