import type { ReadableStream } from 'node:stream/web';
import {
  type BlobHash,
  type CallDefinition,
  type IntentId,
  type LogicalOperationId,
  type OperationId,
  type PlanDiff,
  type Principal,
  QueryEntry,
  QueryHistory,
  QueryLog,
  QueryOperation,
  QueryRebuild,
  QuerySessions,
  QueryStatus,
  QueryVersion,
  QueryWorkspaces,
  type RestoreStep,
  type RollbackPlan,
  type Selection,
  type SessionId,
  type WorkspaceName,
} from '@retrace/contracts';
import type { CallOptions } from '@retrace/messaging/client';
import type { z } from 'zod';
import { ContentStore } from './content/content-store.js';
import type { Content, StoredContent } from './content/content.js';
import { type DeskAddress, IntentDesk } from './intents/intent-desk.js';
import { IntentSender } from './intents/intent-sender.js';
import type { IntentEnd, UndoReport } from './intents/settled.js';
import type { OutcomeAnswer } from './intents/whole-outcome.js';
import { present } from './operations.js';
import { type EventEntry, type EventsOptions, followLog } from './reading/events.js';
import { Files, type FolderEntry, type PathStatus, type StatOptions } from './reading/files.js';
import type { FileContent } from './reading/read-ranges.js';
import {
  type PlanHash,
  type PlanOptions,
  Rollbacks,
  type UndoOptions,
  type UndoSelectionOptions,
} from './rollback/rollbacks.js';
import { type OpenSessionOptions, type SessionOptions, Sessions } from './session/sessions.js';
import type { Session } from './session/session.js';
import { type Reply, type Request, WorkspaceCalls } from './workspace-calls.js';

export const DEFAULT_TIMEOUT_MS = 30_000;

export interface HistoryOptions {
  /** Only changes before this sequence of the log. */
  readonly before?: number | undefined;
  /** 100 unless said, 1,000 at most. */
  readonly limit?: number | undefined;
}

/**
 * One principal in one workspace. Queries see at least what this connection's own changes left.
 *
 * Calls reject with RetraceError: the service's code, `unavailable` or `timeout`.
 */
export class Retrace {
  private readonly sender: IntentSender;
  private readonly store: ContentStore;
  private readonly files: Files;
  private readonly sessionsHere: Sessions;
  private readonly rollbacks: Rollbacks;
  private readonly closing = new AbortController();

  private constructor(
    private readonly calls: WorkspaceCalls,
    private readonly desk: IntentDesk,
    timeoutMs: number,
    private readonly onClose: () => Promise<void>,
  ) {
    this.sender = new IntentSender(desk, calls, timeoutMs);
    this.store = new ContentStore(calls.raw, calls.workspace);
    this.files = new Files(calls);
    this.sessionsHere = new Sessions(this.sender, this.store, this.files);
    this.rollbacks = new Rollbacks(calls, this.sender, () => this.sessionsHere.beginAnywhere());
  }

  static async open(at: DeskAddress, timeoutMs: number, onClose: () => Promise<void>): Promise<Retrace> {
    const calls = new WorkspaceCalls(at.calls, at.principal, at.workspace);
    return new Retrace(calls, await IntentDesk.open(at), timeoutMs, onClose);
  }

  get principal(): Principal {
    return this.calls.principal;
  }

  get workspace(): WorkspaceName {
    return this.calls.workspace;
  }

  /** The newest sequence that this connection's changes left. */
  get lastSequence(): number {
    return this.calls.lastSequence;
  }

  openSession(options: OpenSessionOptions): Promise<Session> {
    return this.sessionsHere.open(options, this.rollbacks);
  }

  /** A session that was opened elsewhere; whether it exists shows at its first use. */
  session(id: SessionId, options: SessionOptions = {}): Session {
    return this.sessionsHere.get(id, options, this.rollbacks);
  }

  /** Puts content before it is used, so that several changes can name it. Rejects with ContentError or RetraceError. */
  put(content: Content, signal?: AbortSignal): Promise<StoredContent> {
    return this.store.put(content, signal);
  }

  /** The file as it stands. */
  read(path: string): Promise<FileContent> {
    return this.files.read(path);
  }

  /** The file chunk by chunk, each read when it is asked for. Errors with ChangedWhileReadError. */
  readStream(path: string): ReadableStream<Uint8Array> {
    return this.files.readStream(path);
  }

  /** Recorded content by its hash. */
  readBlob(hash: BlobHash): Promise<Uint8Array> {
    return this.files.readBlob(hash);
  }

  readBlobStream(hash: BlobHash): ReadableStream<Uint8Array> {
    return this.files.readBlobStream(hash);
  }

  /** What stands at a path, and who recorded its last change. Absence is an answer. */
  stat(path: string, options: StatOptions = {}): Promise<PathStatus> {
    return this.files.stat(path, options);
  }

  /** What a folder holds, by name; `.` is the root. */
  list(path: string): Promise<FolderEntry[]> {
    return this.files.list(path);
  }

  log(filter: Request<typeof QueryLog> = {}): Reply<typeof QueryLog> {
    return this.call(QueryLog, { ...filter, ...this.calls.fresh() });
  }

  /**
   * Follows the log: each entry once, in order, also when the connection or a service was away meanwhile. Begins after
   * `after`, or with what is new from this call on; ends by `signal`, `break` or when this is closed.
   *
   * A logical operation that several calls fill is told of when it was committed or aborted (with `open`, with each part
   * too); a rollback in several parts comes again with each, with the same `logical_operation_id`.
   */
  events({ signal, ...options }: EventsOptions = {}): AsyncIterableIterator<EventEntry> {
    const closing = this.closing.signal;
    const until = signal ? AbortSignal.any([signal, closing]) : closing;
    return followLog(this.calls, { ...options, signal: until }, () => this.desk.nextReconnect());
  }

  /** What happened to one path, newest first, and why; moves are followed back. */
  history(path: string, { before, limit }: HistoryOptions = {}): Reply<typeof QueryHistory> {
    const page = present({ before_sequence: before, limit });
    return this.call(QueryHistory, { path, ...page, ...this.calls.fresh() });
  }

  /** One line of the log, by its sequence or its logical operation, with all that is known of a failure. */
  entry(id: number | LogicalOperationId): Reply<typeof QueryEntry> {
    return this.call(QueryEntry, { id, ...this.calls.fresh() });
  }

  /** One operation, or those of a logical operation: the first 1,000, or a page of them. */
  operation(
    id: OperationId | LogicalOperationId,
    page: { readonly from?: number; readonly limit?: number } = {},
  ): Reply<typeof QueryOperation> {
    return this.call(QueryOperation, { id, ...present({ ...page }), ...this.calls.fresh() });
  }

  sessions(): Reply<typeof QuerySessions> {
    return this.call(QuerySessions, this.calls.fresh());
  }

  /** The recorded state of a path after a sequence or an operation; the newest without either. */
  version(request: Request<typeof QueryVersion>): Reply<typeof QueryVersion> {
    return this.call(QueryVersion, { ...request, ...this.calls.fresh() });
  }

  /** Every workspace that the principal may know of. */
  workspaces(): Reply<typeof QueryWorkspaces> {
    return this.calls.system(QueryWorkspaces, this.calls.fresh());
  }

  /** Where the read models stand, and how far a rebuild is. */
  status(): Reply<typeof QueryStatus> {
    return this.calls.system(QueryStatus, {});
  }

  /** Operators only: builds the read models anew from the log, beside the running ones. `status()` tells how far it is. */
  rebuild(): Reply<typeof QueryRebuild> {
    return this.calls.system(QueryRebuild, {});
  }

  /** From here on queries see at least everything that is in the log now, whoever wrote it. */
  async catchUp(): Promise<void> {
    this.calls.saw((await this.call(QueryStatus, {})).last_sequence);
  }

  /** What an undo would do, given everything that is in the log now. Nothing is changed. */
  undoPlan(selection: Selection, options: PlanOptions = {}): Promise<RollbackPlan> {
    return this.rollbacks.plan(selection, options);
  }

  /** Every step of a plan, however many; the plan's answer holds the first 1,000. */
  planSteps(plan: RollbackPlan | PlanHash): AsyncIterableIterator<RestoreStep> {
    return this.rollbacks.steps(plan);
  }

  /** What a plan changes at one path, as a unified diff from what stands there to what will. */
  planDiff(plan: RollbackPlan | PlanHash, path: string): Reply<typeof PlanDiff> {
    return this.rollbacks.diff(plan, path);
  }

  /** Runs a plan. What is left out, or nothing at all, is no error: see the report. */
  undo(plan: RollbackPlan | PlanHash, options: UndoOptions = {}): Promise<UndoReport> {
    return this.rollbacks.run(plan, options);
  }

  /**
   * Takes an undo back, by its report or its logical operation: plans that anew, and runs the plan. Any other logical
   * operation is undone just so.
   */
  redo(undone: LogicalOperationId | UndoReport, options: UndoSelectionOptions = {}): Promise<UndoReport> {
    return this.rollbacks.redo(undone, options);
  }

  /**
   * Withdraws an intent, and answers how it ended: denied as `withdrawn`, or as it was decided before. Rejects with
   * OutcomeUnknown.
   */
  cancel(intentId: IntentId, { timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<IntentEnd> {
    return this.sender.cancel(intentId, timeoutMs);
  }

  /**
   * What became of an intent, as far as projection knows. `data` has an `operation_count` where it does not hold all
   * records and the others could not be read.
   */
  outcome(intentId: IntentId): Promise<OutcomeAnswer> {
    return this.sender.outcome(intentId);
  }

  /** Any other call of the contract, in this workspace. */
  call<Q extends z.ZodType, R extends z.ZodType>(
    call: CallDefinition<Q, R>,
    request: z.input<Q>,
    options?: CallOptions,
  ): Promise<z.infer<R>> {
    return this.calls.call(call, request, options);
  }

  /** What is still waited for is rejected with OutcomeUnknown; what was published stays published. */
  async close(): Promise<void> {
    this.closing.abort();
    this.desk.close();
    await this.onClose();
  }
}
