import {
  type EventData,
  type IntentDenied,
  type IntentId,
  type LogicalOperationId,
  type OperationFailed,
  type PathState,
  RetraceError,
} from '@retrace/contracts';

/** Policy refused the intent; nothing was touched. The message says what to do next. */
export class IntentDeniedError extends Error {
  override readonly name = 'IntentDeniedError';
  readonly code: string;
  readonly intentId: IntentId;
  readonly rule: string | null;
  readonly policyVersion: number | null;
  readonly path: string | null;
  readonly action: string | null;
  /** The same request may succeed later. */
  readonly retryable: boolean;

  constructor(
    denied: EventData<typeof IntentDenied>,
    /** Of the event in the log. */
    readonly sequence: number,
    options?: ErrorOptions,
  ) {
    super(denied.message, options);
    this.code = denied.code;
    this.intentId = denied.intent_id;
    this.rule = denied.rule;
    this.policyVersion = denied.policy_version;
    this.path = denied.path;
    this.action = denied.action;
    this.retryable = denied.retryable;
  }
}

/** The files were not as they had to be; none of the logical operation's effects is on the disk. */
export class OperationFailedError extends Error {
  override readonly name: string = 'OperationFailedError';
  readonly code: string;
  readonly intentId: IntentId;
  readonly logicalOperationId: LogicalOperationId;
  readonly path: string | null;
  readonly expected: PathState | null;
  readonly found: PathState | null;
  /** Place of the operation that failed, from 0. */
  readonly failedAt: number | null;
  /** Paths that a third party changed midway. */
  readonly needsAttention: EventData<typeof OperationFailed>['needs_attention'];

  constructor(
    failed: EventData<typeof OperationFailed>,
    /** Of the event in the log. */
    readonly sequence: number,
    options?: ErrorOptions,
  ) {
    super(failed.message, options);
    this.code = failed.code;
    this.intentId = failed.intent_id;
    this.logicalOperationId = failed.logical_operation_id;
    this.path = failed.path;
    this.expected = failed.expected;
    this.found = failed.found;
    this.failedAt = failed.failed_at;
    this.needsAttention = failed.needs_attention;
  }
}

/**
 * Somebody changed the path after the session had last seen it (`expected_mismatch`): nothing was written. `expected` is
 * what the session knew, `found` what stands there; the message names the last writer. Read again and decide anew.
 */
export class LostUpdateError extends OperationFailedError {
  override readonly name = 'LostUpdateError';
}

/** The change would have lost what nobody recorded (`changed_outside`): nothing was written. */
export class ChangedOutsideError extends OperationFailedError {
  override readonly name = 'ChangedOutsideError';
}

/** The class for the code of a failure. */
export function operationFailed(failed: EventData<typeof OperationFailed>, sequence: number): OperationFailedError {
  if (failed.code === 'expected_mismatch') return new LostUpdateError(failed, sequence);
  if (failed.code === 'changed_outside') return new ChangedOutsideError(failed, sequence);
  return new OperationFailedError(failed, sequence);
}

/** The intent may have been applied or may still be: nothing was cancelled. Ask `outcome(intentId)`, or send the same id again. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
  readonly code = 'outcome_unknown';

  constructor(
    readonly intentId: IntentId,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`what became of ${intentId} is not known: ${why}. Ask outcome(), or send the same intent id again`, options);
  }
}

export type NotSentCode =
  'malformed_intent' | 'too_many_operations' | 'intent_too_large' | 'too_many_waiting' | 'forbidden' | 'unavailable';

/** The intent was not taken in: nobody will decide it. */
export class IntentNotSent extends Error {
  override readonly name = 'IntentNotSent';

  constructor(
    readonly code: NotSentCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Content did not arrive: the intent was denied because of it, or never sent. `code` is the one of `cause`, which says
 * what was wrong.
 */
export class UploadFailedError extends Error {
  override readonly name = 'UploadFailedError';
  readonly code: string;

  constructor(
    readonly intentId: IntentId,
    cause: unknown,
    code = 'content_missing',
  ) {
    super(`content could not be stored: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    const { code: own } = (cause ?? {}) as { code?: unknown };
    this.code = typeof own === 'string' ? own : code;
  }
}

/** Content that was to be sent cannot be read here, is no bytes, or changed while it was read. */
export class ContentError extends Error {
  override readonly name = 'ContentError';

  constructor(
    readonly code: 'content_unreadable' | 'content_changed' | 'content_invalid',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A file was changed while it was read range by range: what was read so far belongs to no version of it. */
export class ChangedWhileReadError extends RetraceError {
  constructor(readonly path: string) {
    super('changed_outside', `${path} changed while it was read; read it again`);
    this.name = 'ChangedWhileReadError';
  }
}

/** The credentials that were given cannot be used. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  readonly code = 'credentials_invalid';
}
