import type { BlobHash, OperationRecord, PathState } from '@retrace/contracts';
import { Logger } from '@nestjs/common';
import type { EventLog, Position } from '@retrace/event-log';
import { failpoint } from '@retrace/platform';
import { captureState, classify, dropStaged, isFsError, listStaged, type Stat } from '@retrace/workspace-fs';
import { applySteps, attended, keep, undoSteps } from '../applying/apply-steps.js';
import { appliedEvent, failedEvent, recordsOf, staleEvent } from '../applying/outcome-events.js';
import { OutcomePublisher } from '../applying/outcome-publisher.js';
import { planWork, preImageName } from '../applying/plan-work.js';
import { type Refusal, Refused, refusal, Stale } from '../applying/refusal.js';
import { SimulatedTree } from '../applying/simulated-tree.js';
import { dropAll, type StageDurability, stageWork } from '../applying/stage-work.js';
import type { Authority } from '../domain/authority.js';
import { progressOf } from '../domain/progress.js';
import type { Recorded } from '../domain/recorded.js';
import type { ExecutionStore } from '../journal/execution-store.js';
import type {
  DoneRecord,
  JournalRecord,
  JournalStep,
  KeptContent,
  Outcome,
  PreparedRecord,
} from '../journal/journal-record.js';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from './workspace.js';

export interface ExecutorPorts {
  readonly store: ExecutionStore;
  readonly log: EventLog;
  readonly blobs: Blobs;
  readonly durability: StageDurability;
}

/**
 * Applies logical operations to one workspace, one after another in the order of their authority.
 * MUST precede each other: content staged, journal record, disk, record done, publish, record dropped.
 */
export class WorkspaceExecutor {
  readonly publisher: OutcomePublisher;
  private readonly logger = new Logger('execution');

  constructor(
    readonly workspace: Workspace,
    private readonly ports: ExecutorPorts,
  ) {
    this.publisher = new OutcomePublisher(workspace, ports.store, ports.log, ports.blobs);
  }

  /** Handles an authority once. Rejects only where a retry helps; nothing is touched then. */
  async execute(authority: Authority, position: Position): Promise<void> {
    const { store } = this.ports;
    if (store.isHandled(authority.workspace, authority.eventId)) return store.passBy(authority.workspace, position);
    const started = performance.now();
    const prepared = await this.prepare(authority).catch((error: unknown) => this.refusedOutcome(authority, error));
    if (!('record' in prepared)) return this.settle(authority, prepared, position);
    failpoint('journal.before-commit');
    store.prepare(prepared.record, position);
    failpoint('journal.after-commit');
    try {
      this.apply(prepared.record, prepared.stats, started);
    } catch (error) {
      // From here on the journal, not the lane, says how it ends.
      this.logger.error(error);
      this.recoverPrepared(prepared.record);
    }
  }

  /** Ends what an earlier process began: forward where all is there, else back. */
  recover(): void {
    for (const record of this.ports.store.records(this.workspace.name)) {
      if (record.phase === 'done') this.publisher.enqueue(record, true);
      else this.recoverPrepared(record);
    }
    this.sweepStaging();
  }

  /** What was staged for a commit that never came. Names that were kept for people stay. */
  private sweepStaging(): void {
    const inUse = new Set(this.ports.store.records(this.workspace.name).flatMap(stagedNames));
    for (const name of listStaged(this.workspace.root)) {
      const text = name.toString();
      if (!inUse.has(text) && !text.includes('.kept-')) dropStaged(this.workspace.root, name);
    }
  }

  private async prepare(authority: Authority): Promise<{ record: PreparedRecord; stats: (Stat | undefined)[] }> {
    await this.untilPathsAreKnown(authority);
    const { blobs, durability } = this.ports;
    const tree = new SimulatedTree(this.workspace, (path) => this.recorded(path));
    const planned = await planWork(authority, tree, blobs);
    await stageWork(this.workspace, planned, blobs, durability);
    const kept = new Map<BlobHash, KeptContent>();
    for (const content of planned.flatMap((step) => step.kept))
      if (!kept.has(content.hash)) kept.set(content.hash, content);
    const record: PreparedRecord = {
      phase: 'prepared',
      workspace: authority.workspace,
      sequence: authority.sequence,
      eventId: authority.eventId,
      authority,
      steps: planned.map(({ step }) => step),
      records: recordsOf(authority, planned),
      kept: [...kept.values()],
    };
    return { record, stats: planned.map(({ stat }) => stat) };
  }

  /** A record names the sequence that left the state it found: outcomes on the same paths must be in the log first. */
  private async untilPathsAreKnown({ work }: Authority): Promise<void> {
    const paths: readonly string[] =
      work.kind === 'operation'
        ? work.operations.map(({ canonical }) => canonical)
        : work.steps.map(({ path }) => path);
    if (paths.some((path) => this.recorded(path)?.sequence === null)) await this.publisher.settled();
  }

  private recorded(path: string): Recorded | undefined {
    return this.ports.store.recorded(this.workspace.name, path);
  }

  private apply(record: PreparedRecord, stats: readonly (Stat | undefined)[], started: number): void {
    const result = applySteps(this.workspace, record.steps, this.ports.durability, stats);
    if (result.outcome === 'refused') return this.fail(record, result.refusal);
    failpoint('apply.after-last-operation');
    this.complete(record, started);
  }

  private complete(record: PreparedRecord, started: number): void {
    const { authority, steps } = record;
    const took = Math.round((performance.now() - started) * 1000) / 1000;
    const records = record.records.map((one) => ({ ...one, duration_ms: took }));
    const outcome = appliedEvent(authority, this.workspace.epoch, records);
    const done: DoneRecord = {
      phase: 'done',
      workspace: record.workspace,
      sequence: record.sequence,
      eventId: record.eventId,
      outcome,
      kept: record.kept,
      staged: steps.flatMap((step) => (step.inPlace ? [step.stageName, preImageName(step)] : [step.stageName])),
      paths: steps.map(({ path }) => path),
    };
    this.ports.store.finish(done, recordedBy(authority, records));
    this.publisher.enqueue(done);
  }

  private fail(record: PreparedRecord, refused: Refusal): void {
    // What somebody else changed meanwhile may have its only copy in staging.
    if (refused.needsAttention.length === 0) dropAll(this.workspace, record.steps);
    this.settle(record.authority, failedEvent(record.authority, this.workspace.epoch, refused), undefined);
  }

  private settle(authority: Authority, outcome: Outcome, position: Position | undefined): void {
    const { workspace, sequence, eventId } = authority;
    const done: DoneRecord = { phase: 'done', workspace, sequence, eventId, outcome, kept: [], staged: [], paths: [] };
    this.ports.store.finish(done, new Map(), position);
    this.publisher.enqueue(done);
  }

  private refusedOutcome(authority: Authority, error: unknown): Outcome {
    if (error instanceof Stale) return staleEvent(authority, error);
    if (error instanceof Refused) return failedEvent(authority, this.workspace.epoch, error.why);
    throw error;
  }

  private recoverPrepared(record: PreparedRecord): void {
    const { steps } = record;
    const progress = progressOf(steps, this.presentAt(steps));
    if (progress.kind === 'foreign') return this.recoverForeign(record, progress.paths);
    const last = steps[progress.applied - 1];
    // The crash came between taking an object out and seeing that it was somebody's newer one.
    if (last && !last.inPlace && classify(this.workspace.root, last).foreign)
      return this.takeBack(record, steps.slice(0, progress.applied));
    const result = applySteps(this.workspace, steps, this.ports.durability, [], progress.applied);
    if (result.outcome === 'refused') return this.fail(record, result.refusal);
    this.complete(record, performance.now());
  }

  /** A file half written in place is ours to repair; anything else that no step knows is somebody's. */
  private recoverForeign(record: PreparedRecord, paths: readonly string[]): void {
    const torn = paths.every((path) => record.steps.some((step) => step.inPlace && step.path === path));
    if (torn) this.takeBack(record, record.steps);
    else this.fail(record, this.foreign(record, paths));
  }

  private takeBack(record: PreparedRecord, steps: readonly JournalStep[]): void {
    const needsAttention = undoSteps(this.workspace, steps, this.ports.durability);
    const message = 'the executor ended in the middle; what it had done was taken back. Send the intent again';
    this.fail(record, attended(refusal('io', message), needsAttention));
  }

  private foreign(record: PreparedRecord, paths: readonly string[]): Refusal {
    const present = this.presentAt(record.steps);
    const listed = paths.map((path) => ({ path, found: present.get(path)!, kept: this.keepFor(record.steps, path) }));
    const message = `the executor ended in the middle and somebody else changed ${paths.join(', ')} since; look at them`;
    return { ...refusal('needs_attention', message), needsAttention: listed };
  }

  /** What staging holds for the path may be its only old version. */
  private keepFor(steps: readonly JournalStep[], path: string): string | null {
    const step = steps.find((one) => one.path === path);
    return step ? keep(this.workspace, step) : null;
  }

  private presentAt(steps: readonly JournalStep[]): Map<string, PathState> {
    return new Map(steps.map(({ path }) => [path, this.lookAt(path)]));
  }

  private lookAt(path: string): PathState {
    try {
      return captureState(this.workspace.root.rootFd, path, { cache: this.workspace.cache }).state;
    } catch (error) {
      if (isFsError(error)) return { kind: 'absent' };
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.publisher.close();
    this.workspace.root.close();
  }
}

const stagedNames = (record: JournalRecord): readonly string[] =>
  record.phase === 'done' ? record.staged : record.steps.flatMap((step) => [step.stageName, preImageName(step)]);

/** The rows that the paths have from now on; the sequence comes with the log's answer. */
function recordedBy({ agent, sessionId }: Authority, records: readonly OperationRecord[]): Map<string, Recorded> {
  return new Map(
    records.map((record) => [
      record.path.canonical,
      { state: record.state_snapshot_after.state, sequence: null, operationId: record.operation_id, sessionId, agent },
    ]),
  );
}
