import { z } from 'zod';
import type { AnyEventDefinition } from './events/catalogue.js';
import { EVENTS } from './events/catalogue.js';
import { EventIdSchema, SessionIdSchema } from './ids.js';
import type { Principal, WorkspaceName } from './names.js';
import { eventSubject, parseEventSubject } from './subjects.js';
import { RetraceError } from './error-codes.js';
import { type Fits, shapeOf } from './shape.js';
import { upcast } from './upcasting.js';

/** CloudEvents 1.0 in NATS binary mode: attributes are `ce-` headers, the body is `data` as JSON. */
export interface EventEnvelope<D extends AnyEventDefinition = AnyEventDefinition> {
  readonly id: z.infer<typeof EventIdSchema>;
  readonly type: D['type'];
  /** `retrace/<service>`. */
  readonly source: string;
  /** RFC 3339, of the publisher's clock; order never depends on it. */
  readonly time: string;
  readonly workspace: WorkspaceName;
  /** The subject's agent token: who is answered, or `_`. */
  readonly agent: Principal;
  /** The intent. */
  readonly correlationid?: string | undefined;
  /** The event or intent that caused this one. */
  readonly causationid?: string | undefined;
  readonly sessionid?: string | undefined;
  readonly traceparent?: string | undefined;
  /** Which page of an event that is too large for one message, `1/3`; readers put pages together (`libs/event-log`). */
  readonly page?: string | undefined;
  readonly data: z.infer<D['data']>;
}

/** An event where it stands in the log. */
export type StoredEvent<D extends AnyEventDefinition = AnyEventDefinition> = D extends AnyEventDefinition
  ? EventEnvelope<D> & { readonly sequence: number }
  : never;

export interface EncodedEvent {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What `encodeEvent` made of an event. */
export interface EncodedWhole extends EncodedEvent {
  /** The event as its readers will have it: parsed. */
  readonly event: EventEnvelope;
}

const BY_TYPE = new Map<string, AnyEventDefinition>(EVENTS.map((definition) => [definition.type, definition]));
const OPTIONAL = ['correlationid', 'causationid', 'sessionid', 'traceparent', 'page'] as const;

/** What stands in a header unchanged: the client trims values, and a line end would begin another header. */
const word = z.string().regex(/^[\x21-\x7e]+$/, 'printable ASCII without blanks');

/** The attributes of an event: each is the header `ce-<name>`. Who it concerns stands in the subject. */
export const EventAttributesSchema = z.object({
  id: EventIdSchema,
  type: word,
  source: word,
  time: z.iso.datetime({ offset: true }),
  correlationid: word.optional(),
  causationid: word.optional(),
  sessionid: SessionIdSchema.optional(),
  traceparent: word.optional(),
  page: z
    .string()
    .regex(/^[1-9]\d{0,3}\/[1-9]\d{0,3}$/)
    .optional(),
});

export function definitionOf(type: string): AnyEventDefinition | undefined {
  return BY_TYPE.get(type);
}

/** Turns an event into subject, headers and body. All of it is parsed, so that nothing unreadable reaches the log. */
export function encodeEvent(event: EventEnvelope): EncodedWhole {
  const data = knownDefinition(event.type).data.parse(event.data);
  const head = EventAttributesSchema.parse(event);
  const { workspace, agent } = event;
  const parsed = { ...head, workspace, agent, data } as EventEnvelope;
  return { subject: subjectOf(event), headers: headersOf(head), body: JSON.stringify(data), event: parsed };
}

/** The subject of an event, without a look at its data. */
export function subjectOf({ type, workspace, agent }: EventEnvelope): string {
  const { entity, verb } = knownDefinition(type);
  return eventSubject({ workspace, agent, entity, verb });
}

function knownDefinition(type: string): AnyEventDefinition {
  const definition = definitionOf(type);
  if (!definition) throw new RetraceError('unknown_type', `no event type ${type} in the catalogue`);
  return definition;
}

function headersOf(head: z.infer<typeof EventAttributesSchema>): Record<string, string> {
  const headers: Record<string, string> = {
    'ce-specversion': '1.0',
    'ce-id': head.id,
    'ce-type': head.type,
    'ce-source': head.source,
    'ce-time': head.time,
    'content-type': 'application/json',
  };
  for (const name of OPTIONAL) if (head[name] !== undefined) headers[`ce-${name}`] = head[name];
  return headers;
}

/**
 * Reads an event back, lifting old versions. Throws {@link RetraceError} `bad_subject`, `unknown_type`, `bad_json` or
 * `bad_request`. `look`: a quick one is enough where nothing worse than a wrong answer can come of it: only services
 * write the log, and nothing that they have not parsed themselves. What the quick look does not like is parsed.
 */
export function decodeEvent(
  encoded: { subject: string; header: (name: string) => string | undefined; body: string | undefined; json?: unknown },
  sequence: number,
  look: 'whole' | 'quick' = 'whole',
): StoredEvent {
  const address = parseEventSubject(encoded.subject);
  if (!address) throw new RetraceError('bad_subject', `${encoded.subject} is no event subject`);
  const head = EventAttributesSchema.safeParse({
    id: encoded.header('ce-id'),
    type: encoded.header('ce-type'),
    source: encoded.header('ce-source'),
    time: encoded.header('ce-time'),
    ...Object.fromEntries(OPTIONAL.map((name) => [name, encoded.header(`ce-${name}`) || undefined])),
  });
  if (!head.success) throw new RetraceError('bad_request', `event headers: ${z.prettifyError(head.error)}`);
  // Services may write certain subjects only; a type that says something else would be an event in another's name.
  if (!head.data.type.startsWith(`retrace.${address.entity}.${address.verb}.v`))
    throw new RetraceError('bad_subject', `${encoded.subject} carries a ${head.data.type}`);
  const raw = encoded.json ?? parseJson(encoded.body ?? '');
  const lifted = upcast(head.data.type, raw);
  const definition = definitionOf(lifted.type);
  if (!definition) throw new RetraceError('unknown_type', `no event type ${head.data.type} in the catalogue`);
  // The fields of pages that were put together are in an order of their own; parsing brings them into the schema's.
  const quick = look === 'quick' && encoded.json === undefined && fits(definition, lifted.data);
  const data = quick ? lifted.data : parseData(definition, lifted.data);
  const { workspace, agent } = address;
  return { ...head.data, type: definition.type, workspace, agent, sequence, data } as StoredEvent;
}

const SHAPES = new Map<AnyEventDefinition, Fits>();

function fits(definition: AnyEventDefinition, data: unknown): boolean {
  const known = SHAPES.get(definition) ?? shapeOf(definition.data);
  SHAPES.set(definition, known);
  return known(data);
}

function parseData({ type, data: schema }: AnyEventDefinition, data: unknown): unknown {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new RetraceError('bad_request', `${type}: ${z.prettifyError(result.error)}`);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new RetraceError('bad_json', 'the body is no JSON', { cause });
  }
}
