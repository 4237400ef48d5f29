import { type AnyEventDefinition, definitionOf, type StoredEvent } from '@retrace/contracts';
import { DenialEntity } from '../entities/denial.entity.js';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { MemberEntity } from '../entities/member.entity.js';
import { OutcomeEntity } from '../entities/outcome.entity.js';
import { PlannedPartEntity } from '../entities/planned-part.entity.js';
import { PolicyEntity } from '../entities/policy.entity.js';
import { RejectedMessageEntity } from '../entities/rejected-message.entity.js';
import { RollbackEntity } from '../entities/rollback.entity.js';
import { SessionEntity } from '../entities/session.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { denied } from '../projections/denial.projection.js';
import * as logicalOperation from '../projections/logical-operation.projection.js';
import * as outcome from '../projections/outcome.projection.js';
import { plannedPart, plannedSteps } from '../projections/planned-part.projection.js';
import { messageRejected } from '../projections/rejected-message.projection.js';
import * as rollback from '../projections/rollback.projection.js';
import { sessionCompleted, sessionOpened } from '../projections/session.projection.js';
import * as workspaces from '../projections/workspace.projection.js';
import { foldApplied } from './fold-applied.js';
import { foldFailed } from './fold-failed.js';
import { denialKey, logicalOperationKey, outcomeKey, outcomeOf, rollbackKey, sessionKey } from './keys.js';
import type { Rows } from './rows.js';

type Fold<D extends AnyEventDefinition> = (rows: Rows, event: StoredEvent<D>) => Promise<void>;
type NameOf<D extends AnyEventDefinition> = `${D['entity']}.${D['verb']}`;

/** Which rows an event changes, and how. An event type without a line here does not compile. */
const FOLDS: { readonly [D in AnyEventDefinition as NameOf<D>]: Fold<D> } = {
  'intent.authorized': async (rows, event) => {
    await rows.change(LogicalOperationEntity, logicalOperationKey(event), (row) =>
      logicalOperation.planned(row, event),
    );
    rows.put(PlannedPartEntity, [plannedPart(event)]);
    await outcomeOf(rows, event, (row) => outcome.outcomeAuthorized(row, event));
  },
  'intent.denied': async (rows, event) => {
    const before = await rows.one(OutcomeEntity, outcomeKey(event));
    await rows.change(DenialEntity, denialKey(event), (row) => denied(row, before, event));
    await outcomeOf(rows, event, (row) => outcome.outcomeDenied(row, event));
  },
  'intent.stale': async (rows, event) => {
    await rows.change(LogicalOperationEntity, logicalOperationKey(event), (row) =>
      logicalOperation.wentStale(row, event),
    );
    await outcomeOf(rows, event, (row) => outcome.outcomeStale(row, event));
  },
  'operation.applied': foldApplied,
  'operation.failed': foldFailed,
  'session.opened': async (rows, event) => {
    await rows.change(SessionEntity, sessionKey(event), (row) => sessionOpened(row, event));
    await outcomeOf(rows, event, (row) => outcome.outcomeAtOnce(row, event));
  },
  'session.completed': async (rows, event) => {
    await rows.change(SessionEntity, sessionKey(event), (row) => sessionCompleted(row, event));
    await outcomeOf(rows, event, (row) => outcome.outcomeAtOnce(row, event));
  },
  'logical_operation.opened': async (rows, event) => {
    await rows.change(LogicalOperationEntity, logicalOperationKey(event), (row) => logicalOperation.opened(row, event));
    await outcomeOf(rows, event, (row) => outcome.outcomeAtOnce(row, event));
  },
  'logical_operation.committed': async (rows, event) => {
    await rows.change(LogicalOperationEntity, logicalOperationKey(event), (row) =>
      logicalOperation.committed(row, event),
    );
    await outcomeOf(rows, event, (row) => outcome.outcomeAtOnce(row, event));
  },
  'logical_operation.aborted': async (rows, event) => {
    const { workspace, data } = event;
    const rollbackOfIt = { workspace, logicalOperationId: data.rollback_logical_operation_id };
    await rows.change(LogicalOperationEntity, logicalOperationKey(event), (row) =>
      logicalOperation.aborted(row, event),
    );
    await rows.change(LogicalOperationEntity, rollbackOfIt, (row) => logicalOperation.abortPlanned(row, event));
    await rows.change(RollbackEntity, rollbackKey(event), (row) => rollback.rollbackOfAbort(row, event));
    await outcomeOf(rows, event, (row) => outcome.outcomeAborted(row, event));
  },
  'workspace.baselined': (rows, event) =>
    rows.change(WorkspaceEntity, { workspace: event.workspace }, (row) => workspaces.workspaceBaselined(row, event)),
  'workspace.registered': (rows, event) =>
    rows.change(WorkspaceEntity, { workspace: event.workspace }, (row) => workspaces.workspaceRegistered(row, event)),
  'policy.published': async (rows, event) => {
    const { workspace, data } = event;
    await rows.change(PolicyEntity, { workspace, version: data.version }, (row) =>
      workspaces.policyPublished(row, event),
    );
    await rows.change(WorkspaceEntity, { workspace }, (row) => workspaces.policyInForce(row, event));
  },
  'member.added': (rows, event) =>
    rows.change(MemberEntity, { workspace: event.workspace, member: event.data.member }, (row) =>
      workspaces.memberAdded(row, event),
    ),
  // No query asks for refused reads yet; the log keeps them.
  'access.refused': () => Promise.resolve(),
  'rollback.authorized': async (rows, event) => {
    await rows.change(RollbackEntity, rollbackKey(event), (row) => rollback.rollbackAuthorized(row, event));
    await rows.change(LogicalOperationEntity, logicalOperationKey(event), (row) =>
      logicalOperation.rollbackPlanned(row, event),
    );
    await outcomeOf(rows, event, (row) => outcome.outcomeAuthorized(row, event));
  },
  'rollback.step_requested': async (rows, event) => {
    await rows.change(RollbackEntity, rollbackKey(event), (row) => rollback.rollbackRunning(row, event));
    rows.put(PlannedPartEntity, [plannedSteps(event)]);
  },
  'rollback.completed': async (rows, event) => {
    await rows.change(RollbackEntity, rollbackKey(event), (row) => rollback.rollbackCompleted(row, event));
    await outcomeOf(rows, event, (row) => outcome.outcomeRolledBack(row, event));
  },
  'message.rejected': (rows, event) =>
    rows.change(RejectedMessageEntity, { workspace: event.workspace, eventId: event.id }, (row) =>
      messageRejected(row, event),
    ),
};

/** Changes the rows that an event of the catalogue speaks of. */
export async function foldEvent(rows: Rows, event: StoredEvent): Promise<void> {
  const { entity, verb } = definitionOf(event.type)!;
  // The table's own type says that each fold fits the events of its name; the compiler cannot follow a name at run time.
  const byName: Readonly<Record<string, unknown>> = FOLDS;
  await (byName[`${entity}.${verb}`] as Fold<AnyEventDefinition>)(rows, event);
}
