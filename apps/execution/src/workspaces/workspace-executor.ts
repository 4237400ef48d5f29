import { MAX_PATHS_PER_LOGICAL_OPERATION } from '@retrace/contracts';
import type { EventLog, Position } from '@retrace/event-log';
import { failpoint } from '@retrace/platform';
import { dropStaged, listStaged, type Stat } from '@retrace/workspace-fs';
import { Logger } from '@nestjs/common';
import { type AppliedWork, applySteps } from '../applying/apply-steps.js';
import { endPrepared } from '../applying/end-prepared.js';
import { droppedNames, stageNamesOf } from '../applying/journal-step.js';
import { appliedEvent, failedEvent, recordsOf, staleEvent } from '../applying/outcome-events.js';
import { atOnce, paced } from '../applying/pace.js';
import { pathsOf } from '../applying/plan-step.js';
import { dropAll, prepareWork } from '../applying/prepare-work.js';
import { refusal, Refused, Stale } from '../applying/refusal.js';
import { SimulatedTree } from '../applying/simulated-tree.js';
import type { StageDurability } from '../applying/stage-step.js';
import type { Authority } from '../domain/authority.js';
import type { Recorded } from '../domain/recorded.js';
import type { End, ExecutionStore } from '../journal/execution-store.js';
import type { JournalRecord, Outcome, PreparedRecord } from '../journal/journal-record.js';
import { doneRecord, failedRecord, preparedRecord, recordedBy } from '../journal/make-records.js';
import type { Blobs } from '../ports/blobs.port.js';
import { OutcomePublisher } from '../publishing/outcome-publisher.js';
import { ExecutionQueue, type Given } from './execution-queue.js';
import { movedMessage, stillStands } from './still-stands.js';
import { TouchedPaths } from './touched-paths.js';
import type { Workspace } from './workspace.js';

export interface ExecutorPorts {
  readonly store: ExecutionStore;
  readonly log: EventLog;
  readonly blobs: Blobs;
  readonly durability: StageDurability;
}

interface Prepared {
  readonly record: PreparedRecord;
  readonly position: Position;
  readonly stats: readonly (Stat | undefined)[];
}

/** A record that is committed; `result`: how it ended on the disk, once that is known. */
interface Committed {
  readonly record: PreparedRecord;
  result?: AppliedWork;
}

/** Logical operations that are prepared, and committed, together. */
const MOST_TOGETHER = 64;
/** One with more steps goes alone. */
const MOST_STEPS = 16;

/**
 * Applies logical operations to one workspace, in the order of their authority. Those that have nothing to do with each
 * other are prepared together and share transactions; on the disk they come one after another all the same.
 * MUST precede each other: content staged, journal record, disk, record done, publish, record dropped.
 */
export class WorkspaceExecutor {
  private readonly publisher: OutcomePublisher;
  private readonly logger = new Logger('execution');
  private readonly queue = new ExecutionQueue((given) => this.carryOut(given));
  /** What is to be ended: nothing else may happen before. */
  private committed: Committed[] = [];
  private applying: Promise<void> = Promise.resolve();

  constructor(
    readonly workspace: Workspace,
    private readonly ports: ExecutorPorts,
  ) {
    this.publisher = new OutcomePublisher(workspace, ports.store, ports.log, ports.blobs);
  }

  /** Takes an authority to be carried out in its turn, and tried again where that helps. */
  take(authority: Authority, position: Position, signal?: AbortSignal): Promise<void> {
    return this.queue.take({ authority, position, signal });
  }

  /** Resolves when what was taken so far is in the journal, or given up: a later position may then be stored. */
  drained(): Promise<void> {
    return this.queue.drained();
  }

  /**
   * Handles an authority once. Rejects only where a retry helps: nothing of it was touched, or it is in the journal
   * and the next call ends it first. `signal` ends waiting, not work.
   */
  async execute(authority: Authority, position: Position, signal?: AbortSignal): Promise<void> {
    await this.carryOut([{ authority, position, signal }]);
  }

  /** As {@link execute}, for as many from the front as go together; answers how many. */
  private async carryOut(given: readonly Given[]): Promise<number> {
    const [{ authority, position, signal }] = given as readonly [Given];
    const { store } = this.ports;
    this.end();
    if (this.isHandled(authority)) {
      store.passBy(authority.workspace, position);
      return 1;
    }
    await this.publisher.room(signal);
    await this.untilKnown(pathsOf(authority), signal);
    const refused = stillStands(this.workspace) ? undefined : this.refusedOutcome(authority, gone(this.workspace));
    const first = refused ?? (await this.prepareOr(authority, position));
    if (!('record' in first)) {
      this.settle(authority, first, position);
      return 1;
    }
    const together = await this.withOthers(first, given.slice(1, MOST_TOGETHER));
    await this.commit(together);
    this.applying = this.apply(together);
    await this.applying;
    return together.length;
  }

  /** Those behind the first up to one that must wait for it, or for the log, or that is not carried out at all. */
  private async withOthers(first: Prepared, others: readonly Given[]): Promise<Prepared[]> {
    const together = [first];
    const touched = new TouchedPaths();
    for (let last = first; isApart(last.record); last = together.at(-1)!) {
      for (const { path } of last.record.steps) touched.add(path);
      const next = others[together.length - 1];
      if (!next || this.mustWait(next.authority, touched)) break;
      const prepared = await this.prepareOr(next.authority, next.position).catch(() => undefined);
      // It is prepared again in its turn, and its error told then.
      if (!prepared || !('record' in prepared)) break;
      if (!isApart(prepared.record)) {
        await dropAll(this.workspace, prepared.record.steps);
        break;
      }
      together.push(prepared);
    }
    return together;
  }

  private mustWait(authority: Authority, touched: TouchedPaths): boolean {
    const paths = pathsOf(authority);
    const waits = (path: string): boolean => touched.overlaps(path) || this.recorded(path)?.sequence === null;
    return paths.length > MOST_STEPS || this.isHandled(authority) || paths.some(waits);
  }

  private isHandled({ workspace, eventId }: Authority): boolean {
    return this.ports.store.isHandled(workspace, eventId);
  }

  /** Ends what an earlier process began: forward where all is there, else back. */
  recover(): void {
    const { store } = this.ports;
    for (const record of store.records(this.workspace.name)) {
      if (record.phase === 'done') {
        this.publisher.enqueue(record, true);
        continue;
      }
      this.committed = [{ record }];
      this.end();
    }
    this.sweepStaging();
  }

  /** Resolves when what is on record of these paths names its place in the log. */
  async untilKnown(paths: readonly string[] | 'all', signal?: AbortSignal): Promise<void> {
    if (paths === 'all' || paths.some((path) => this.recorded(path)?.sequence === null))
      await this.publisher.settled(signal);
  }

  recorded(path: string): Recorded | undefined {
    return this.ports.store.recorded(this.workspace.name, path);
  }

  /** Lets go at once: the journal keeps what is not done. */
  abandon(): void {
    this.publisher.close(0).catch((error: unknown) => this.logger.error(error));
    this.workspace.root.close();
  }

  /** `waitMs`: how long outcomes that wait for the bus are given; the journal keeps them. */
  async close(waitMs?: number): Promise<void> {
    await Promise.allSettled([this.queue.close(), this.applying]);
    await this.publisher.close(waitMs);
    this.workspace.root.close();
  }

  private async prepareOr(authority: Authority, position: Position): Promise<Prepared | Outcome> {
    try {
      return await this.prepare(authority, position);
    } catch (error) {
      return this.refusedOutcome(authority, error);
    }
  }

  private async prepare(authority: Authority, position: Position): Promise<Prepared> {
    const { workspace } = this;
    const { blobs, durability } = this.ports;
    requireBounded(authority);
    const tree = new SimulatedTree(workspace, authority, (path) => this.recorded(path));
    const planned = await prepareWork(authority, { workspace, tree, blobs }, durability);
    const record = preparedRecord(authority, planned, recordsOf(authority, planned));
    return { record, position, stats: planned.map(({ stat }) => stat) };
  }

  private refusedOutcome(authority: Authority, error: unknown): Outcome {
    if (error instanceof Stale) return staleEvent(authority, error);
    if (error instanceof Refused) return failedEvent(authority, this.workspace.epoch, error.why);
    throw error;
  }

  private async commit(together: readonly Prepared[]): Promise<void> {
    try {
      failpoint('journal.before-commit');
      await this.ports.store.prepare(together);
    } catch (error) {
      for (const { record } of together) await dropAll(this.workspace, record.steps);
      throw error;
    }
    this.committed = together.map(({ record }) => ({ record }));
    failpoint('journal.after-commit');
  }

  private async apply(together: readonly Prepared[]): Promise<void> {
    try {
      for (const [i, { record, stats }] of together.entries()) {
        const result = await paced(applySteps(this.workspace, record.steps, this.ports.durability, stats));
        if (result.outcome === 'applied') failpoint('apply.after-last-operation');
        this.committed[i]!.result = result;
      }
    } catch (error) {
      // From here on the journal, not the lane, says how it ends.
      this.logger.error(error);
    }
    this.end();
  }

  /** Of what is committed it becomes known how it ends; where the store cannot take that, it is tried again. */
  private end(): void {
    if (this.committed.length === 0) return;
    for (const one of this.committed) one.result ??= this.endingOf(one.record);
    const ends = this.committed.map(({ record, result }) => this.endOf(record, result!));
    failpoint('journal.before-finish');
    this.ports.store.finish(ends);
    this.committed = [];
    for (const { record } of ends) this.publisher.enqueue(record);
  }

  private endingOf({ steps }: PreparedRecord): AppliedWork {
    return atOnce(endPrepared(this.workspace, steps, this.ports.durability));
  }

  private endOf(record: PreparedRecord, result: AppliedWork): End {
    const { authority, steps } = record;
    if (result.outcome === 'refused') {
      const outcome = failedEvent(authority, this.workspace.epoch, result.refusal);
      return { record: failedRecord(authority, outcome, droppedNames(steps)) };
    }
    const took = durationsOf(record, result.tookMs);
    const records = record.records.map((one) => ({ ...one, duration_ms: rounded(took.get(one.operation_id)) }));
    const done = doneRecord(record, appliedEvent(authority, this.workspace.epoch, records));
    return { record: done, recorded: recordedBy(record, records) };
  }

  /** Of what was never committed. */
  private settle(authority: Authority, outcome: Outcome, position: Position): void {
    const record = failedRecord(authority, outcome, []);
    this.ports.store.finish([{ record, position }]);
    this.publisher.enqueue(record);
  }

  /** What was staged for a commit that never came. Names that were kept for people stay. */
  private sweepStaging(): void {
    const inUse = new Set(this.ports.store.records(this.workspace.name).flatMap(stagedNames));
    for (const name of listStaged(this.workspace.root)) {
      const text = name.toString();
      if (!inUse.has(text) && !text.includes('.kept-')) dropStaged(this.workspace.root, name);
    }
  }
}

/** Nothing else is prepared while it waits: it is not large, and writes to no file that has other names. */
const isApart = ({ steps }: PreparedRecord): boolean =>
  steps.length <= MOST_STEPS && steps.every(({ inPlace, moved }) => !inPlace && !moved);

const gone = (workspace: Workspace): Refused => new Refused(refusal('workspace_unavailable', movedMessage(workspace)));

/** Milliseconds with three places; nobody knows how long a process took that died. */
const rounded = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms * 1000) / 1000);

/** A record may be of several steps. */
function durationsOf({ steps }: PreparedRecord, tookMs: ReadonlyMap<number, number> | undefined): Map<string, number> {
  const took = new Map<string, number>();
  for (const [i, { operationId }] of steps.entries()) {
    const ms = tookMs?.get(i);
    if (ms !== undefined) took.set(operationId, (took.get(operationId) ?? 0) + ms);
  }
  return took;
}

function requireBounded({ work }: Authority): void {
  const count = work.kind === 'operation' ? work.operations.length : work.steps.length;
  if (count <= MAX_PATHS_PER_LOGICAL_OPERATION) return;
  const message = `${count} paths in one logical operation, ${MAX_PATHS_PER_LOGICAL_OPERATION} at most; do it in several`;
  throw new Refused(refusal('too_many_paths', message));
}

const stagedNames = (record: JournalRecord): readonly string[] =>
  record.phase === 'done' ? record.staged : record.steps.flatMap(stageNamesOf);
