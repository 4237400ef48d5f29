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
import { type Refusal, refusal, Refused, Stale } from '../applying/refusal.js';
import { SimulatedTree } from '../applying/simulated-tree.js';
import type { StageDurability } from '../applying/stage-step.js';
import type { Authority } from '../domain/authority.js';
import type { Recorded } from '../domain/recorded.js';
import type { ExecutionStore } from '../journal/execution-store.js';
import type { JournalRecord, Outcome, PreparedRecord } from '../journal/journal-record.js';
import { doneRecord, failedRecord, preparedRecord, recordedBy } from '../journal/make-records.js';
import type { Blobs } from '../ports/blobs.port.js';
import { OutcomePublisher } from '../publishing/outcome-publisher.js';
import { movedMessage, stillStands } from './still-stands.js';
import type { Workspace } from './workspace.js';

export interface ExecutorPorts {
  readonly store: ExecutionStore;
  readonly log: EventLog;
  readonly blobs: Blobs;
  readonly durability: StageDurability;
}

interface Prepared {
  readonly record: PreparedRecord;
  readonly stats: readonly (Stat | undefined)[];
}

/**
 * Applies logical operations to one workspace, one after another in the order of their authority.
 * MUST precede each other: content staged, journal record, disk, record done, publish, record dropped.
 */
export class WorkspaceExecutor {
  private readonly publisher: OutcomePublisher;
  private readonly logger = new Logger('execution');
  /** What is left to do for a committed record: nothing else may happen before. */
  private ending: (() => void) | undefined;
  private applying: Promise<void> = Promise.resolve();

  constructor(
    readonly workspace: Workspace,
    private readonly ports: ExecutorPorts,
  ) {
    this.publisher = new OutcomePublisher(workspace, ports.store, ports.log, ports.blobs);
  }

  /**
   * Handles an authority once. Rejects only where a retry helps: nothing of it was touched, or it is in the journal
   * and the next call ends it first. `signal` ends waiting, not work.
   */
  async execute(authority: Authority, position: Position, signal?: AbortSignal): Promise<void> {
    const { store } = this.ports;
    this.end();
    if (store.isHandled(authority.workspace, authority.eventId)) return store.passBy(authority.workspace, position);
    await this.publisher.room(signal);
    await this.untilKnown(pathsOf(authority), signal);
    if (!stillStands(this.workspace))
      return this.settle(authority, this.refusedOutcome(authority, gone(this.workspace)), position);
    const prepared = await this.prepare(authority).catch((error: unknown) => this.refusedOutcome(authority, error));
    if (!('record' in prepared)) return this.settle(authority, prepared, position);
    await this.commit(prepared.record, position);
    this.applying = this.apply(prepared);
    await this.applying;
  }

  /** Ends what an earlier process began: forward where all is there, else back. */
  recover(): void {
    const { store } = this.ports;
    for (const record of store.records(this.workspace.name)) {
      if (record.phase === 'done') this.publisher.enqueue(record, true);
      else this.conclude(record, this.endingOf(record));
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
    await Promise.allSettled([this.applying]);
    await this.publisher.close(waitMs);
    this.workspace.root.close();
  }

  private async prepare(authority: Authority): Promise<Prepared> {
    const { workspace } = this;
    const { blobs, durability } = this.ports;
    requireBounded(authority);
    const tree = new SimulatedTree(workspace, authority, (path) => this.recorded(path));
    const planned = await prepareWork(authority, { workspace, tree, blobs }, durability);
    const record = preparedRecord(authority, planned, recordsOf(authority, planned));
    return { record, stats: planned.map(({ stat }) => stat) };
  }

  private refusedOutcome(authority: Authority, error: unknown): Outcome {
    if (error instanceof Stale) return staleEvent(authority, error);
    if (error instanceof Refused) return failedEvent(authority, this.workspace.epoch, error.why);
    throw error;
  }

  private async commit(record: PreparedRecord, position: Position): Promise<void> {
    try {
      failpoint('journal.before-commit');
      await this.ports.store.prepare(record, position);
    } catch (error) {
      await dropAll(this.workspace, record.steps);
      throw error;
    }
    this.ending = () => this.conclude(record, this.endingOf(record));
    failpoint('journal.after-commit');
  }

  private async apply({ record, stats }: Prepared): Promise<void> {
    try {
      const result = await paced(applySteps(this.workspace, record.steps, this.ports.durability, stats));
      if (result.outcome === 'applied') failpoint('apply.after-last-operation');
      this.conclude(record, result);
    } catch (error) {
      // From here on the journal, not the lane, says how it ends.
      this.logger.error(error);
      this.end();
    }
  }

  private end(): void {
    this.ending?.();
  }

  private endingOf({ steps }: PreparedRecord): AppliedWork {
    return atOnce(endPrepared(this.workspace, steps, this.ports.durability));
  }

  /** From here on it is known how it ends; where the store cannot take it, that is tried again. */
  private conclude(record: PreparedRecord, result: AppliedWork): void {
    this.ending = () =>
      result.outcome === 'applied' ? this.complete(record, result.tookMs) : this.fail(record, result.refusal);
    this.ending();
    this.ending = undefined;
  }

  private complete(record: PreparedRecord, tookMs: ReadonlyMap<number, number> | undefined): void {
    const { authority } = record;
    const took = durationsOf(record, tookMs);
    const records = record.records.map((one) => ({ ...one, duration_ms: rounded(took.get(one.operation_id)) }));
    const done = doneRecord(record, appliedEvent(authority, this.workspace.epoch, records));
    this.ports.store.finish(done, recordedBy(authority, records));
    this.publisher.enqueue(done);
  }

  private fail(record: PreparedRecord, refused: Refusal): void {
    const { authority, steps } = record;
    const outcome = failedEvent(authority, this.workspace.epoch, refused);
    this.settle(authority, outcome, undefined, droppedNames(steps));
  }

  private settle(authority: Authority, outcome: Outcome, position?: Position, staged: readonly string[] = []): void {
    const done = failedRecord(authority, outcome, staged);
    this.ports.store.finish(done, new Map(), position);
    this.publisher.enqueue(done);
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
