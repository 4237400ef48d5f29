import {
  type AuthorizedOperation,
  type EventEnvelope,
  IntentAuthorized,
  type OperationId,
  type OperationRecord,
  type PathState,
  type Principal,
  type RestoreStep,
  RollbackStepRequested,
  type SessionId,
  WorkspaceNameSchema,
  WorkspacePathSchema,
} from '@retrace/contracts';
import { type EventLog, newId } from '@retrace/event-log';
import { type Authority, authorityOfIntent, authorityOfStep } from '../domain/authority.js';

export const WORKSPACE = WorkspaceNameSchema.parse('notes');
export const AGENT = 'amy' as Principal;
export const SESSION: SessionId = newId('ses');
const DECISION = { policy_version: 1, rule: 'everything' };

const envelope = { source: 'retrace/test', time: '2025-01-15T14:30:22.000Z', workspace: WORKSPACE, agent: AGENT };

/** Puts the event that gives the right to do it into the log. */
export async function authorize(log: EventLog, operations: readonly AuthorizedOperation[]): Promise<Authority> {
  const event: EventEnvelope<typeof IntentAuthorized> = {
    ...envelope,
    id: newId('evt'),
    type: IntentAuthorized.type,
    data: {
      intent_id: newId('int'),
      in_sequence: 1,
      attempt: 1,
      logical_operation_id: newId('lop'),
      session_id: SESSION,
      model: null,
      tool: null,
      reason: null,
      provenance: {},
      open: false,
      part: 1,
      operations: [...operations],
    },
  };
  const { sequence } = await log.append(event);
  return authorityOfIntent({ ...event, sequence });
}

export interface Restore {
  readonly path: string;
  readonly expect: PathState;
  readonly restore: PathState;
  readonly compensates?: OperationId;
  readonly how?: RestoreStep['how'];
  readonly moves_from?: string;
  readonly moves_to?: string;
}

/** The steps that take records back, newest first; what was moved goes back itself, as rollback plans it. */
export function restoresOf(records: readonly OperationRecord[]): Restore[] {
  return records.toReversed().map(({ rollback_instruction, operation_id, moved_from, moved_to }) => ({
    ...rollback_instruction,
    compensates: operation_id,
    ...(moved_from !== null && rollback_instruction.expect.kind !== 'directory' && { moves_to: moved_from }),
    ...(moved_to !== null && rollback_instruction.restore.kind !== 'directory' && { moves_from: moved_to }),
  }));
}

export async function requestStep(log: EventLog, steps: readonly Restore[]): Promise<Authority> {
  const event: EventEnvelope<typeof RollbackStepRequested> = {
    ...envelope,
    id: newId('evt'),
    type: RollbackStepRequested.type,
    data: {
      rollback_id: newId('rbk'),
      logical_operation_id: newId('lop'),
      intent_id: newId('int'),
      part: 1,
      parts: 1,
      reason: null,
      decision: DECISION,
      steps: steps.map(({ path, expect, restore, compensates = newId('op'), how = 'restore', ...moved }) => ({
        operation_id: newId('op'),
        compensates: [compensates],
        path: WorkspacePathSchema.parse(path),
        expect,
        restore,
        how,
        keeps: [],
        ...(moved.moves_from !== undefined && { moves_from: WorkspacePathSchema.parse(moved.moves_from) }),
        ...(moved.moves_to !== undefined && { moves_to: WorkspacePathSchema.parse(moved.moves_to) }),
      })),
    },
  };
  const { sequence } = await log.append(event);
  return authorityOfStep({ ...event, sequence });
}
