import {
  type ApplyIntent,
  type BlobHash,
  type CallDefinition,
  type IntentId,
  type LogicalOperationId,
  type OpenSessionIntent,
  type OperationId,
  PlanMake,
  type Principal,
  QueryEntry,
  QueryLog,
  QueryOperation,
  QuerySessions,
  QueryStatus,
  QueryVersion,
  type RollbackPlan,
  type Selection,
  type SessionId,
  type WorkspaceName,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { CallOptions } from '@retrace/messaging';
import type { z } from 'zod';
import { BlobUploader } from './content/blob-uploader.js';
import { type Content, nameContent, type StoredContent } from './content/content.js';
import { type FileContent, readBlob, readFile } from './content/read-ranges.js';
import { type DeskAddress, IntentDesk, type OutcomeAnswer } from './intents/intent-desk.js';
import type { Applied, SessionChanged, Settled, UndoReport } from './intents/settled.js';
import { type BuiltOperation, present } from './operations.js';
import { type IntentOptions, Session } from './session.js';

type Request<C extends CallDefinition> = Omit<z.input<C['request']>, 'min_sequence'>;
type Reply<C extends CallDefinition> = Promise<z.infer<C['reply']>>;

export interface OpenSessionOptions extends IntentOptions {
  /** What the session is for, in the agent's words. */
  readonly task: string;
  readonly conversationId?: string | undefined;
  readonly model?: { readonly id: string; readonly version?: string } | undefined;
  /** Of a session whose opening is unknown, to open it again. */
  readonly sessionId?: SessionId | undefined;
}

export interface UndoOptions extends IntentOptions {
  readonly reason?: string | undefined;
}

export const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * One principal in one workspace. Queries see at least what this connection's own changes left.
 *
 * Calls reject with RetraceError: the service's code, `unavailable` or `timeout`.
 */
export class Retrace {
  private seen = 0;
  private readonly uploader: BlobUploader;

  private constructor(
    private readonly at: DeskAddress,
    private readonly desk: IntentDesk,
    private readonly timeoutMs: number,
    private readonly onClose: () => Promise<void>,
  ) {
    this.uploader = new BlobUploader(at.calls, at.workspace);
  }

  static async open(at: DeskAddress, timeoutMs: number, onClose: () => Promise<void>): Promise<Retrace> {
    return new Retrace(at, await IntentDesk.open(at), timeoutMs, onClose);
  }

  get principal(): Principal {
    return this.at.principal;
  }

  get workspace(): WorkspaceName {
    return this.at.workspace;
  }

  /** The newest sequence that this connection's changes left. */
  get lastSequence(): number {
    return this.seen;
  }

  async openSession(options: OpenSessionOptions): Promise<Session> {
    const { task, conversationId, model, sessionId = newId('ses'), intentId = newId('int'), traceparent } = options;
    const intent: OpenSessionIntent = {
      type: 'session.open',
      intent_id: intentId,
      session_id: sessionId,
      task,
      ...present({ conversation_id: conversationId, model, traceparent }),
    };
    await this.submit(intent, options);
    return this.session(sessionId);
  }

  /** A session that was opened elsewhere; whether it exists shows at its first use. */
  session(id: SessionId): Session {
    return new Session(
      {
        apply: (intent, operations, options) => this.apply(intent, operations, options),
        completeSession: (session, options) => this.completeSession(session, options),
      },
      id,
    );
  }

  /** Puts content before it is used: for contents so large that they take longer than policy waits (30 s). */
  async put(content: Content): Promise<StoredContent> {
    const named = nameContent(content);
    await this.uploader.put(named);
    return { hash: named.hash, size: named.size };
  }

  /** The file as it stands. */
  read(path: string): Promise<FileContent> {
    return readFile(this.at.calls, this.workspace, path);
  }

  /** Recorded content by its hash. */
  readBlob(hash: BlobHash): Promise<Uint8Array> {
    return readBlob(this.at.calls, this.workspace, hash);
  }

  log(filter: Request<typeof QueryLog> = {}): Reply<typeof QueryLog> {
    return this.call(QueryLog, { ...filter, ...this.fresh() });
  }

  /** One line of the log, by its sequence or its logical operation, with all that is known of a failure. */
  entry(id: number | LogicalOperationId): Reply<typeof QueryEntry> {
    return this.call(QueryEntry, { id, ...this.fresh() });
  }

  /** One operation, or all of a logical operation. */
  operation(id: OperationId | LogicalOperationId): Reply<typeof QueryOperation> {
    return this.call(QueryOperation, { id, ...this.fresh() });
  }

  sessions(): Reply<typeof QuerySessions> {
    return this.call(QuerySessions, this.fresh());
  }

  /** The recorded state of a path after a sequence or an operation; the newest without either. */
  version(request: Request<typeof QueryVersion>): Reply<typeof QueryVersion> {
    return this.call(QueryVersion, { ...request, ...this.fresh() });
  }

  /** From here on queries see at least everything that is in the log now, whoever wrote it. */
  async catchUp(): Promise<void> {
    this.saw((await this.call(QueryStatus, {})).last_sequence);
  }

  /** What an undo would do, given everything that is in the log now. Nothing is changed. */
  undoPlan(selection: Selection): Promise<RollbackPlan> {
    return this.call(PlanMake, { selection });
  }

  /** Runs a plan. What is left out, or nothing at all, is no error: see the report. */
  async undo(plan: RollbackPlan | RollbackPlan['plan_hash'], options: UndoOptions = {}): Promise<UndoReport> {
    const { intentId = newId('int'), reason, traceparent } = options;
    const plan_hash = typeof plan === 'string' ? plan : plan.plan_hash;
    const common = { intent_id: intentId, ...present({ reason, traceparent }) };
    return as('undo', await this.submit({ ...common, type: 'rollback', plan_hash }, options));
  }

  /** What became of an intent, as far as projection knows. */
  outcome(intentId: IntentId): Promise<OutcomeAnswer> {
    return this.desk.outcome(intentId);
  }

  /** Any other call of the contract, in this workspace. */
  call<Q extends z.ZodType, R extends z.ZodType>(
    call: CallDefinition<Q, R>,
    request: z.input<Q>,
    options?: CallOptions,
  ): Promise<z.infer<R>> {
    return this.at.calls.call(call, this.workspace, request, options);
  }

  /** What is still waited for is rejected with OutcomeUnknown; what was published stays published. */
  async close(): Promise<void> {
    this.desk.close();
    await this.onClose();
  }

  private async apply(
    intent: ApplyIntent,
    operations: readonly BuiltOperation[],
    options: IntentOptions,
  ): Promise<Applied> {
    const contents = operations.flatMap(({ content }) => (content?.bytes ? [content] : []));
    const upload = () => Promise.all(contents.map((content) => this.uploader.put(content)));
    return as('applied', await this.submit(intent, options, upload));
  }

  private async completeSession(id: SessionId, options: IntentOptions): Promise<SessionChanged> {
    const { intentId = newId('int'), traceparent } = options;
    const common = { intent_id: intentId, ...present({ traceparent }) };
    return as('session', await this.submit({ ...common, type: 'session.complete', session_id: id }, options));
  }

  private async submit(
    intent: Parameters<IntentDesk['submit']>[0],
    { timeoutMs = this.timeoutMs, signal, intentId }: IntentOptions,
    upload?: () => Promise<unknown>,
  ): Promise<Settled> {
    const again = intentId !== undefined;
    try {
      const settled = await this.desk.submit(intent, { timeoutMs, signal, upload, again });
      this.saw(settled.sequence);
      return settled;
    } catch (error) {
      const { sequence } = error as { sequence?: unknown };
      if (typeof sequence === 'number') this.saw(sequence);
      throw error;
    }
  }

  private saw(sequence: number): void {
    this.seen = Math.max(this.seen, sequence);
  }

  private fresh(): { min_sequence?: number } {
    return this.seen > 0 ? { min_sequence: this.seen } : {};
  }
}

/** An intent of one kind ends as its kind does. */
function as<K extends Settled['kind']>(kind: K, settled: Settled): Extract<Settled, { kind: K }> {
  if (settled.kind !== kind) throw new TypeError(`${settled.intentId} ended as ${settled.kind}, not as ${kind}`);
  return settled as Extract<Settled, { kind: K }>;
}
