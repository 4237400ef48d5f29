import { createHash } from 'node:crypto';
import type {
  EventId,
  IdPrefix,
  IntentId,
  LogicalOperationId,
  OperationId,
  RollbackId,
  SessionId,
} from '@retrace/contracts';
import { stringify, v7 } from 'uuid';

interface IdTypes {
  op: OperationId;
  lop: LogicalOperationId;
  int: IntentId;
  ses: SessionId;
  rbk: RollbackId;
  evt: EventId;
  pln: string;
}

/** Mints an id: prefix + UUIDv7, so that ids sort by the time they were made. */
export const newId = <Prefix extends IdPrefix>(prefix: Prefix): IdTypes[Prefix] =>
  `${prefix}_${v7()}` as IdTypes[Prefix];

/**
 * Derives an id (UUIDv8 of a sha256) from what it names: the same parts give the same id in every process and after
 * every restart, so publishing twice is seen as one event by readers that drop duplicates by id.
 */
export function deriveId<Prefix extends IdPrefix>(
  prefix: Prefix,
  ...parts: readonly (string | number)[]
): IdTypes[Prefix] {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return `${prefix}_${stringify(bytes)}` as IdTypes[Prefix];
}
