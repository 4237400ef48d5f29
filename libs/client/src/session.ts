import { type ApplyIntent, type IntentId, type Provenance, type SessionId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { Content } from './content/content.js';
import type { Applied, SessionChanged } from './intents/settled.js';
import { buildOperation, type BuiltOperation, type Edit, type OperationInput, present } from './operations.js';
import type { PathState, WriteMode } from '@retrace/contracts';

/** What every intent may say of itself. */
export interface IntentOptions {
  /** Milliseconds until {@link OutcomeUnknown} (30,000 unless the connection was given another). */
  readonly timeoutMs?: number | undefined;
  /** Aborting withdraws the intent, which counts until it is decided; the promise tells what became of it. */
  readonly signal?: AbortSignal | undefined;
  /** Of an intent whose outcome is unknown, to send it again. */
  readonly intentId?: IntentId | undefined;
  /** W3C trace context. */
  readonly traceparent?: string | undefined;
}

export interface ApplyOptions extends IntentOptions {
  /** Why; recorded. */
  readonly reason?: string | undefined;
  readonly tool?: string | undefined;
  readonly provenance?: Provenance | undefined;
}

interface FileOptions extends ApplyOptions {
  /** What the caller last saw there; anything else found refuses the operation. */
  readonly expected?: PathState | undefined;
}
export interface CreateOptions extends FileOptions {
  /** Permission bits, at most 0777: no set-id, no sticky. */
  readonly mode?: number | undefined;
}
export interface EditOptions extends FileOptions {
  readonly writeMode?: WriteMode | undefined;
}
export interface WriteOptions extends CreateOptions, EditOptions {}

/** What a session needs of its connection. */
export interface SessionHost {
  apply(intent: ApplyIntent, operations: readonly BuiltOperation[], options: IntentOptions): Promise<Applied>;
  completeSession(id: SessionId, options: IntentOptions): Promise<SessionChanged>;
}

/**
 * One task run. Each call is one logical operation, published in the order of the calls, awaited or not.
 *
 * Rejects with IntentDeniedError, OperationFailedError, UploadFailedError, OutcomeUnknown or IntentNotSent.
 */
export class Session {
  constructor(
    private readonly host: SessionHost,
    readonly id: SessionId,
  ) {}

  /** A new file; refused where anything stands. */
  create(path: string, content: Content, options: CreateOptions = {}): Promise<Applied> {
    const { mode, expected } = options;
    return this.apply([{ create: path, content, mode, expected }], options);
  }

  /** The whole content of a file, new or not. */
  write(path: string, content: Content, options: WriteOptions = {}): Promise<Applied> {
    const { mode, writeMode, expected } = options;
    return this.apply([{ write: path, content, mode, writeMode, expected }], options);
  }

  /** Literal replacements, in order. A text with several matches is refused unless `all`. */
  edit(path: string, edits: readonly Edit[], options: EditOptions = {}): Promise<Applied> {
    const { writeMode, expected } = options;
    return this.apply([{ edit: path, edits, writeMode, expected }], options);
  }

  mkdir(path: string, options: CreateOptions = {}): Promise<Applied> {
    const { mode, expected } = options;
    return this.apply([{ mkdir: path, mode, expected }], options);
  }

  /** A file, a link or an empty folder. */
  delete(path: string, options: FileOptions = {}): Promise<Applied> {
    return this.apply([{ delete: path, expected: options.expected }], options);
  }

  /** Several operations as one logical operation: all of them are applied, or none. */
  async apply(inputs: readonly OperationInput[], options: ApplyOptions = {}): Promise<Applied> {
    const built = inputs.map(buildOperation);
    const { reason, tool, provenance, traceparent, intentId } = options;
    const intent: ApplyIntent = {
      type: 'operation.apply',
      intent_id: intentId ?? newId('int'),
      session_id: this.id,
      ...present({ reason, tool, provenance, traceparent }),
      operations: built.map(({ request }) => request),
    };
    return this.host.apply(intent, built, options);
  }

  /** From here on the session writes nothing. */
  complete(options: IntentOptions = {}): Promise<SessionChanged> {
    return this.host.completeSession(this.id, options);
  }
}
