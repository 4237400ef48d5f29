import type { ReadableStream } from 'node:stream/web';
import type { LogicalOperationId, Selection, SessionId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { ApplyOptions, IntentOptions } from '../intents/intent-options.js';
import { as } from '../intents/intent-sender.js';
import type { Applied, SessionChanged, UndoReport } from '../intents/settled.js';
import { type OperationInput, present } from '../operations.js';
import type { Files, FolderEntry, PathStatus, StatOptions } from '../reading/files.js';
import type { FileContent } from '../reading/read-ranges.js';
import type { Rollbacks, UndoSelectionOptions } from '../rollback/rollbacks.js';
import { FileChanges } from './file-changes.js';
import { OpenOperation } from './open-operation.js';
import { RememberedReads } from './remembered-reads.js';
import type { SessionCore } from './session-core.js';

export interface BeginOptions extends Omit<IntentOptions, 'timeoutMs'> {
  /** Why; recorded. */
  readonly reason?: string | undefined;
  /** Milliseconds from its opening until it is aborted, 1,000 to a day; 15 minutes unless said. */
  readonly timeoutMs?: number | undefined;
  /** Of a logical operation whose opening is unknown, to open it again. */
  readonly logicalOperationId?: LogicalOperationId | undefined;
}

/**
 * One task run. It remembers what it last read or left at a path and sends that as `expected` with the next write, edit,
 * chmod, move, rmdir or delete there: what somebody else wrote meanwhile is not overwritten unseen, but rejects
 * with LostUpdateError.
 */
export class Session extends FileChanges {
  private readonly reads: RememberedReads;

  constructor(
    private readonly core: SessionCore,
    private readonly files: Files,
    private readonly rollbacks: Rollbacks,
  ) {
    super();
    this.reads = new RememberedReads(files, core.memory);
  }

  get id(): SessionId {
    return this.core.id;
  }

  /** Several operations as one logical operation: all of them are applied, or none. At most 10,000. */
  apply(inputs: readonly OperationInput[], options: ApplyOptions = {}): Promise<Applied> {
    return this.core.apply(inputs, options);
  }

  /** Begins a logical operation that several calls fill. */
  async begin(options: BeginOptions = {}): Promise<OpenOperation> {
    const { reason, timeoutMs, logicalOperationId = newId('lop'), intentId, traceparent, signal } = options;
    const intent = {
      type: 'operation.open' as const,
      intent_id: intentId ?? newId('int'),
      session_id: this.id,
      logical_operation_id: logicalOperationId,
      ...present({ reason, timeout_ms: timeoutMs, traceparent }),
    };
    const opened = as('opened', await this.core.submit(intent, { intentId, signal }));
    // Of an intent that was sent again, the one that was opened the first time.
    return this.operation(opened.logicalOperationId);
  }

  /** A logical operation that was opened elsewhere; whether it is open shows at its first use. */
  operation(id: LogicalOperationId): OpenOperation {
    return new OpenOperation(this.core, id);
  }

  /** The file as it stands. Remembered. */
  read(path: string): Promise<FileContent> {
    return this.reads.read(path);
  }

  /** The file chunk by chunk; read to its end, it is remembered. Errors with ChangedWhileReadError. */
  readStream(path: string): ReadableStream<Uint8Array> {
    return this.reads.readStream(path);
  }

  /** What stands at a path, and who recorded its last change. Absence is an answer. Remembered. */
  stat(path: string, options: StatOptions = {}): Promise<PathStatus> {
    return this.reads.stat(path, options);
  }

  /** What a folder holds, by name. */
  list(path: string): Promise<FolderEntry[]> {
    return this.files.list(path);
  }

  /** Takes back all that the session did, calls included that are not awaited yet. */
  undo(options: UndoSelectionOptions = {}): Promise<UndoReport> {
    return this.undoSelection({ by: 'session', session_id: this.id }, options);
  }

  /** Takes back the session's applied logical operation number `step`, from 1, rollbacks not counted. */
  undoStep(step: number, options: UndoSelectionOptions = {}): Promise<UndoReport> {
    return this.undoSelection({ by: 'step', session_id: this.id, step }, options);
  }

  /** Removes what the session created and nobody else changed since; with a glob, of that only what matches. */
  undoCreated(glob?: string, options: UndoSelectionOptions = {}): Promise<UndoReport> {
    return this.undoSelection({ by: 'created', session_id: this.id, ...present({ glob }) }, options);
  }

  /** From here on the session writes nothing. */
  async complete(options: IntentOptions = {}): Promise<SessionChanged> {
    const { intentId = newId('int'), traceparent } = options;
    const common = { intent_id: intentId, ...present({ traceparent }) };
    const intent = { ...common, type: 'session.complete' as const, session_id: this.id };
    return as('session', await this.core.submit(intent, options));
  }

  private async undoSelection(selection: Selection, options: UndoSelectionOptions): Promise<UndoReport> {
    await this.core.settled();
    return this.rollbacks.undoSelection(selection, options);
  }
}
