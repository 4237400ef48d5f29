export { connect, type ConnectOptions, connectSystem, RetraceSystem, type SystemOptions } from './connect.js';
export { type CheckedCredentials, type Credentials, readCredentials } from './credentials.js';
export { type Content, type StoredContent } from './content/content.js';
export { type FileContent } from './content/read-ranges.js';
export {
  CredentialsError,
  IntentDeniedError,
  IntentNotSent,
  type NotSentCode,
  OperationFailedError,
  OutcomeUnknown,
  UploadFailedError,
} from './errors.js';
export { type OutcomeAnswer } from './intents/intent-desk.js';
export { type Applied, type SessionChanged, type UndoReport } from './intents/settled.js';
export { type Edit, isOperationRequest, type OperationInput } from './operations.js';
export { DEFAULT_TIMEOUT_MS, type OpenSessionOptions, Retrace, type UndoOptions } from './retrace.js';
export {
  type ApplyOptions,
  type CreateOptions,
  type EditOptions,
  type IntentOptions,
  Session,
  type WriteOptions,
} from './session.js';
