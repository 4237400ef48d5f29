import { z } from 'zod';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

export type IdPrefix = 'op' | 'lop' | 'int' | 'ses' | 'rbk' | 'evt' | 'pln';

/** A typed id: prefix, underscore, UUIDv7 (minted, sortable by time) or UUIDv8 (derived from what it names). */
const id = <Brand extends string>(prefix: IdPrefix) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_${UUID}$`), `an id of the form ${prefix}_<uuid>`)
    .brand<Brand>();

/**
 * Answers whether an id was minted (UUIDv7). Derived ids are kept for what the services name themselves: who could ask for
 * one would take the place of a record that is still to come.
 */
export const isMintedId = (named: string): boolean => /^[a-z]+_[0-9a-f]{8}-[0-9a-f]{4}-7/.test(named);

export const OperationIdSchema = id<'OperationId'>('op');
export const LogicalOperationIdSchema = id<'LogicalOperationId'>('lop');
export const IntentIdSchema = id<'IntentId'>('int');
export const SessionIdSchema = id<'SessionId'>('ses');
export const RollbackIdSchema = id<'RollbackId'>('rbk');
export const EventIdSchema = id<'EventId'>('evt');

export type OperationId = z.infer<typeof OperationIdSchema>;
export type LogicalOperationId = z.infer<typeof LogicalOperationIdSchema>;
export type IntentId = z.infer<typeof IntentIdSchema>;
export type SessionId = z.infer<typeof SessionIdSchema>;
export type RollbackId = z.infer<typeof RollbackIdSchema>;
export type EventId = z.infer<typeof EventIdSchema>;
