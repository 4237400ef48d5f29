export {
  AgentNameSchema,
  isOperator,
  NOBODY,
  operatorPrincipal,
  PrincipalSchema,
  WorkspaceNameSchema,
  type AgentName,
  type Principal,
  type WorkspaceName,
} from './names.js';
export {
  EventIdSchema,
  IntentIdSchema,
  isMintedId,
  LogicalOperationIdSchema,
  OperationIdSchema,
  RollbackIdSchema,
  SessionIdSchema,
  type EventId,
  type IdPrefix,
  type IntentId,
  type LogicalOperationId,
  type OperationId,
  type RollbackId,
  type SessionId,
} from './ids.js';
export {
  ABSENT,
  AskedModeSchema,
  BlobHashSchema,
  describePathState,
  ModeSchema,
  PathStateSchema,
  samePathState,
  type BlobHash,
  type FileState,
  type PathState,
} from './path-state.js';
export {
  canonicalPath,
  CONTROL_FOLDER,
  foldersAbove,
  linkDestination,
  MAX_NAME_BYTES,
  MAX_PATH_BYTES,
  parentPath,
  pathsOverlap,
  WorkspacePathSchema,
  type CanonicalPath,
  type LinkDestination,
  type PathProblem,
  type WorkspacePath,
} from './workspace-path.js';
export {
  EditScriptSchema,
  OperationRequestSchema,
  WriteModeSchema,
  type Action,
  type EditScript,
  type OperationRequest,
  type WriteMode,
} from './operation-request.js';
export {
  AbortOperationIntentSchema,
  ApplyIntentSchema,
  CommitOperationIntentSchema,
  IntentSchema,
  MAX_INTENT_BYTES,
  MAX_OPERATIONS_BLOB_BYTES,
  MAX_OPERATIONS_PER_INTENT,
  MAX_OPERATIONS_PER_LOGICAL_OPERATION,
  MAX_PATHS_PER_LOGICAL_OPERATION,
  ModelSchema,
  OpenOperationIntentSchema,
  OperationsBlobSchema,
  ProvenanceSchema,
  type AbortOperationIntent,
  type ApplyIntent,
  type CommitOperationIntent,
  type CompleteSessionIntent,
  type Intent,
  type OpenOperationIntent,
  type OpenSessionIntent,
  type OperationsBlob,
  type Provenance,
  type RollbackIntent,
  type WithdrawIntent,
} from './intent.js';
export {
  ActionClassSchema,
  DecisionReferenceSchema,
  OperationRecordSchema,
  RecordedActionSchema,
  RollbackInstructionSchema,
  StateSnapshotSchema,
  UndoCoverageSchema,
  type ActionClass,
  type OperationRecord,
  type RecordedAction,
  type StateSnapshot,
  type UndoCoverage,
} from './operation-record.js';
export { AuthorizedOperationSchema, PinSchema, type AuthorizedOperation, type Pin } from './decision.js';
export {
  LeftOutSchema,
  leavesSomething,
  MAX_STEPS_PER_REQUEST,
  RestoreStepSchema,
  RollbackOptionsSchema,
  RollbackPlanSchema,
  SelectionSchema,
  STEPS_PER_PAGE,
  type LeftOut,
  type RestoreStep,
  type RollbackOptions,
  type RollbackPlan,
  type Selection,
} from './plan.js';
export {
  decodeToken,
  encodeToken,
  eventSubject,
  INTENT_STREAM,
  intentSubject,
  LOG_STREAM,
  outcomeSubject,
  parseEventSubject,
  parseIntentSubject,
  parseRpcSubject,
  PARTITIONS,
  partitionOf,
  rpcSubject,
  serviceSubject,
  type EventAddress,
  type RpcAddress,
  type RpcCaller,
} from './subjects.js';
export { ERROR_CODES, errorCodeOf, isErrorCode, RetraceError, type ErrorCode } from './error-codes.js';
export { defineEvent, type EventDefinition } from './events/define-event.js';
export { EVENTS, type AnyEventDefinition, type EventData } from './events/catalogue.js';
export { AnsweredIntentSchema, IntentAuthorized, IntentDenied, IntentStale } from './events/intent.events.js';
export { OperationApplied, OperationFailed } from './events/operation.events.js';
export { SessionCompleted, SessionOpened } from './events/session.events.js';
export {
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
} from './events/logical-operation.events.js';
export { BaselineManifestSchema, type BaselineManifest } from './baseline-manifest.js';
export {
  AccessRefused,
  MemberAdded,
  PolicyPublished,
  WorkspaceBaselined,
  WorkspaceRegistered,
} from './events/workspace.events.js';
export { RollbackAuthorized, RollbackCompleted, RollbackStepRequested } from './events/rollback.events.js';
export { MessageRejected } from './events/message.events.js';
export {
  decodeEvent,
  definitionOf,
  EventAttributesSchema,
  encodeEvent,
  subjectOf,
  type EncodedEvent,
  type EncodedWhole,
  type EventEnvelope,
  type StoredEvent,
} from './envelope.js';
export { parseSafely } from './parse-safely.js';
export { upcast, type Upcaster, type VersionedData } from './upcasting.js';
export { callPattern, defineCall, type CallDefinition } from './rpc/define-call.js';
export { BytesSchema } from './rpc/bytes.js';
export { CHUNK_BYTES, RPC_HEADERS } from './rpc/headers.js';
export { ProblemSchema, type Problem } from './rpc/problem.js';
export {
  BlobAdopt,
  BlobAdoptMany,
  BlobCheck,
  BlobGet,
  BlobMissing,
  BlobPresent,
  BlobPut,
  BlobPutMany,
} from './rpc/blob.calls.js';
export { decodeContents, encodeContents, MAX_CONTENTS, type NamedBytes } from './rpc/contents-body.js';
export {
  CheckSchema,
  ENTRIES_PER_PAGE,
  FactSchema,
  FsAddWorkspace,
  FsBaseline,
  FsCheck,
  FsFacts,
  FsList,
  FsRead,
  FsStat,
  FsTail,
  FsTree,
  type Check,
  type Fact,
} from './rpc/fs.calls.js';
export { PolicyAddMember, PolicyExplain, PolicyPublish, PolicyShow, TriedRuleSchema } from './rpc/policy.calls.js';
export { PlanDiff, PlanGet, PlanMake, PlanSteps } from './rpc/plan.calls.js';
export {
  LogEntrySchema,
  FailureSchema,
  OperationDetailSchema,
  OPERATIONS_PER_ENTRY,
  QueryEntry,
  QueryHistory,
  QueryLog,
  QueryOperation,
  QueryOutcome,
  QueryRebuild,
  QuerySessions,
  QueryStatus,
  QueryVersion,
  QueryWorkspaces,
  SessionRowSchema,
  type Failure,
  type LogEntry,
} from './rpc/query.calls.js';
export { pingCall, SERVICES, type ServiceName } from './rpc/ping.calls.js';
