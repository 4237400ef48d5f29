import {
  type AnyEventDefinition,
  decodeEvent,
  encodeEvent,
  type EventData,
  EventIdSchema,
  type IdPrefix,
  IntentIdSchema,
  LogicalOperationIdSchema,
  OperationIdSchema,
  type Principal,
  PrincipalSchema,
  RollbackIdSchema,
  SessionIdSchema,
  type StoredEvent,
  type WorkspaceName,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import type { z } from 'zod';

const SCHEMAS = {
  op: OperationIdSchema,
  lop: LogicalOperationIdSchema,
  int: IntentIdSchema,
  ses: SessionIdSchema,
  rbk: RollbackIdSchema,
  evt: EventIdSchema,
};

/** The same number gives the same id. */
export function id<Prefix extends keyof typeof SCHEMAS & IdPrefix>(
  prefix: Prefix,
  number: number,
): z.infer<(typeof SCHEMAS)[Prefix]> {
  const text = `${prefix}_00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
  return SCHEMAS[prefix].parse(text) as z.infer<(typeof SCHEMAS)[Prefix]>;
}

export const ws: WorkspaceName = WorkspaceNameSchema.parse('shop');
export const ann: Principal = PrincipalSchema.parse('ann');
export const bob: Principal = PrincipalSchema.parse('bob');
export const operator: Principal = PrincipalSchema.parse('_op-olga');

export interface At {
  readonly sequence: number;
  readonly agent?: Principal;
  readonly workspace?: WorkspaceName;
  /** Number of the event's id; the sequence where absent. */
  readonly event?: number;
}

/** An event as a reader gets it: encoded and decoded, so that nothing is folded here that the log would not hold. */
export function stored<D extends AnyEventDefinition>(
  definition: D,
  data: EventData<D>,
  { sequence, agent = ann, workspace = ws, event = sequence }: At,
): StoredEvent<D> {
  const encoded = encodeEvent({
    id: id('evt', event),
    type: definition.type,
    source: 'retrace/spec',
    time: new Date(Date.UTC(2026, 0, 1) + sequence * 1000).toISOString(),
    workspace,
    agent,
    data,
  });
  const { subject, headers, body } = encoded;
  return decodeEvent({ subject, header: (name) => headers[name], body }, sequence) as StoredEvent<D>;
}
