/** Every code that a refusal, a typed error or an RPC answer can carry. Codes survive process boundaries; classes do not. */
export const ERROR_CODES = [
  // the intent itself
  'malformed_intent',
  'intent_too_large',
  'unknown_workspace',
  'not_a_member',
  'unknown_session',
  'session_closed',
  'session_exists',
  'not_your_session',
  'duplicate_operation_id',
  'unknown_logical_operation',
  'logical_operation_exists',
  'logical_operation_closed',
  'logical_operation_failed',
  'logical_operation_open',
  'too_many_paths',
  'withdrawn',
  // paths
  'path_empty',
  'path_nul',
  'path_not_unicode',
  'path_absolute',
  'path_escapes',
  'path_trailing_slash',
  'path_too_long',
  'name_too_long',
  'path_control_folder',
  'outside_root',
  'link_refused',
  // policy
  'no_rule',
  'rule_denies',
  'protected_path',
  'policy_invalid',
  'no_policy',
  'content_missing',
  'workspace_unavailable',
  'stale_too_often',
  // execution
  'exists',
  'absent',
  'not_a_file',
  'not_a_folder',
  'not_empty',
  'into_itself',
  'expected_mismatch',
  'changed_outside',
  'writer_active',
  'edit_no_match',
  'edit_ambiguous',
  'edit_blob_invalid',
  'not_permitted',
  'no_space',
  'needs_attention',
  'io',
  // workspaces and places
  'workspace_exists',
  'workspace_locked',
  'workspace_overlaps',
  'not_a_directory',
  // blobs
  'blob_absent',
  'blob_corrupt',
  'blob_mismatch',
  'blob_too_large',
  'blob_forbidden',
  'blob_incomplete',
  'blob_range_invalid',
  'blob_source_invalid',
  'blob_upload_gap',
  'blob_upload_gone',
  'blob_uploads_busy',
  'blob_store_closed',
  'blob_store_failed',
  'blob_store_unusable',
  // rollback
  'unknown_plan',
  'plan_stale',
  'nothing_selected',
  'nothing_to_undo',
  'not_yours',
  'changed_dependent',
  'already_undone',
  // messages and calls
  'bad_json',
  'bad_request',
  'no_event_id',
  'unknown_type',
  'bad_subject',
  'forbidden',
  'not_found',
  'not_ready',
  'busy',
  'reply_too_large',
  'unavailable',
  'timeout',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

const KNOWN: ReadonlySet<string> = new Set(ERROR_CODES);
export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && KNOWN.has(code);

/** An error with a code of the contract. `details` are plain data and travel with it. */
export class RetraceError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions & { details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RetraceError';
    this.details = options.details;
  }
  readonly details: Record<string, unknown> | undefined;
}

/** Reads the code off anything thrown; `internal` where it has none of ours. */
export function errorCodeOf(error: unknown): ErrorCode {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return isErrorCode(code) ? code : 'internal';
}
