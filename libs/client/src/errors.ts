import type {
  EventData,
  IntentDenied,
  IntentId,
  LogicalOperationId,
  OperationFailed,
  PathState,
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
  override readonly name = 'OperationFailedError';
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

/** Content did not arrive, so that the intent was denied; `code` is the refusal's, `cause` what the upload said. */
export class UploadFailedError extends Error {
  override readonly name = 'UploadFailedError';
  readonly code: string;
  readonly intentId: IntentId;

  constructor(denied: IntentDeniedError, cause: unknown) {
    super(`content could not be stored: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    const { code } = (cause ?? {}) as { code?: unknown };
    this.code = typeof code === 'string' ? code : denied.code;
    this.intentId = denied.intentId;
  }
}

/** The credentials that were given cannot be used. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  readonly code = 'credentials_invalid';
}
