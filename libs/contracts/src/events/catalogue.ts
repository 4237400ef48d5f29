import type { z } from 'zod';
import { IntentAuthorized, IntentDenied, IntentStale } from './intent.events.js';
import {
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
} from './logical-operation.events.js';
import { MessageRejected } from './message.events.js';
import { OperationApplied, OperationFailed } from './operation.events.js';
import { RollbackAuthorized, RollbackCompleted, RollbackStepRequested } from './rollback.events.js';
import { SessionCompleted, SessionOpened } from './session.events.js';
import {
  AccessRefused,
  MemberAdded,
  PolicyPublished,
  WorkspaceBaselined,
  WorkspaceRegistered,
} from './workspace.events.js';

/** Every event of the log in its newest version. */
export const EVENTS = [
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  OperationApplied,
  OperationFailed,
  SessionOpened,
  SessionCompleted,
  LogicalOperationOpened,
  LogicalOperationCommitted,
  LogicalOperationAborted,
  WorkspaceRegistered,
  WorkspaceBaselined,
  PolicyPublished,
  MemberAdded,
  AccessRefused,
  RollbackAuthorized,
  RollbackStepRequested,
  RollbackCompleted,
  MessageRejected,
] as const;

export type AnyEventDefinition = (typeof EVENTS)[number];
/** The data of an event, by definition: `EventData<typeof OperationApplied>`. */
export type EventData<D extends AnyEventDefinition> = z.infer<D['data']>;
