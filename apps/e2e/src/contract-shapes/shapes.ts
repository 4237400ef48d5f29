import * as contracts from '@retrace/contracts';
import { type CallDefinition, callPattern, IntentSchema, pingCall, SERVICES } from '@retrace/contracts';
import { z } from 'zod';

/** What is used of a JSON schema, as zod writes it. */
export interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const isCall = (value: unknown): value is CallDefinition =>
  typeof value === 'object' && value !== null && 'service' in value && 'verb' in value && 'request' in value;

/** Every call that the contracts know, so that a new one is tried without being listed anywhere. */
export const CALLS: readonly CallDefinition[] = [
  ...(Object.values(contracts) as unknown[]).filter(isCall),
  ...SERVICES.map(pingCall),
].toSorted((a, b) => (callPattern(a) < callPattern(b) ? -1 : 1));

const shapeOf = (schema: z.ZodType): Shape =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as unknown as Shape;

/** What a call takes; without a type where it takes bytes. */
export const requestShape = (call: CallDefinition): Shape => shapeOf(call.request);

/** One for each type of intent. */
export const INTENT_SHAPES: readonly Shape[] = shapeOf(IntentSchema).oneOf ?? [];
