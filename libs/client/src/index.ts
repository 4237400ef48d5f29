export { connect, type ConnectOptions, connectSystem, RetraceSystem, type SystemOptions } from './connect.js';
export { type CheckedCredentials, type Credentials, readCredentials } from './credentials.js';
export { type ByteStream, type Content, type FileSource, type StoredContent } from './content/content.js';
export {
  ChangedOutsideError,
  ChangedWhileReadError,
  ContentError,
  CredentialsError,
  IntentDeniedError,
  IntentNotSent,
  LostUpdateError,
  type NotSentCode,
  OperationFailedError,
  OutcomeUnknown,
  UploadFailedError,
} from './errors.js';
export { type OutcomeAnswer } from './intents/whole-outcome.js';
export { type ApplyOptions, type IntentOptions } from './intents/intent-options.js';
export {
  type Applied,
  type IntentEnd,
  type LogicalOperationChanged,
  type SessionChanged,
  type Settled,
  type UndoReport,
} from './intents/settled.js';
export { type Expected } from './memory/session-memory.js';
export { type Edit, type OperationInput } from './operations.js';
export { type EventEntry, type EventsOptions, type LogFilter } from './reading/events.js';
export { type FolderEntry, type PathStatus, type StatOptions } from './reading/files.js';
export { type FileContent } from './reading/read-ranges.js';
export { DEFAULT_TIMEOUT_MS, type HistoryOptions, Retrace } from './retrace.js';
export { type PlanHash, type PlanOptions, type UndoOptions, type UndoSelectionOptions } from './rollback/rollbacks.js';
export {
  type ChangeOptions,
  type CopyOptions,
  type CreateOptions,
  type DeleteOptions,
  type EditOptions,
  FileChanges,
  type MkdirOptions,
  type MoveOptions,
  type WriteOptions,
} from './session/file-changes.js';
export { type AbortOptions, OpenOperation } from './session/open-operation.js';
export { type BeginOptions, Session } from './session/session.js';
export { type OpenSessionOptions, type SessionOptions } from './session/sessions.js';
