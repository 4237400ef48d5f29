import * as contracts from '@retrace/contracts';
import { z } from 'zod';

const { BaselineManifestSchema, EVENTS, EventAttributesSchema, IntentSchema, OperationRequestSchema, ProblemSchema } =
  contracts;

/** Bytes as they are, with headers; no JSON, so no schema says more. */
const BYTES = { description: 'Bytes as they are, not JSON.', 'x-raw': true };

/**
 * What may be written, which is what a reader meets: fields that a later version added are not required, and fields
 * that a schema does not know are no mistake.
 */
const jsonSchema = (schema) => {
  if (schema === contracts.BytesSchema) return BYTES;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return rest;
};

const document = (title, description, rest) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title,
  ...(description && { description }),
  ...rest,
});

const isCall = (value) => typeof value === 'object' && value !== null && 'request' in value && 'reply' in value;
const byName = ([a], [b]) => (a < b ? -1 : 1);
const nameOfExport = (value) => Object.entries(contracts).find(([, other]) => other === value)?.[0];

/** Every call with its pattern: those of the catalogue, and the ping of each service. */
export const calls = () => {
  const named = Object.values(contracts).filter(isCall);
  const pings = contracts.SERVICES.map((service) => contracts.pingCall(service));
  return [...named, ...pings].map((call) => [contracts.callPattern(call), call]).toSorted(byName);
};

export const events = () => EVENTS.map((event) => [`${event.entity}.${event.verb}`, event]).toSorted(byName);

export const intents = () => IntentSchema.options.map((intent) => [intent.shape.type.value, intent]).toSorted(byName);

export const eventFile = (event) => `events/${event.entity}.${event.verb}.v${event.version}.json`;
export const intentFile = (type) => `intents/${type}.json`;
export const callFile = (pattern) => `calls/${pattern}.json`;

/** Every schema by its file. */
export function schemaFiles(comments) {
  const files = new Map();
  for (const [, event] of events()) {
    const paged = event.pagedBy === undefined ? {} : { 'x-paged-by': event.pagedBy };
    const description = comments.of(nameOfExport(event));
    files.set(eventFile(event), document(event.type, description, { ...paged, ...jsonSchema(event.data) }));
  }
  for (const [type, intent] of intents())
    files.set(intentFile(type), document(type, comments.ofIntent(type), jsonSchema(intent)));
  for (const [pattern, call] of calls()) {
    const definitions = { request: jsonSchema(call.request), reply: jsonSchema(call.reply) };
    const description = comments.of(nameOfExport(call) ?? 'pingCall');
    files.set(callFile(pattern), document(pattern, description, { definitions }));
  }
  for (const [name, description, schema] of [
    ['event-attributes', comments.of('EventAttributesSchema'), EventAttributesSchema],
    ['problem', comments.of('ProblemSchema'), ProblemSchema],
    ['blobs/operations', comments.of('OperationsBlobSchema'), z.array(OperationRequestSchema)],
    ['blobs/baseline-manifest', comments.of('BaselineManifestSchema'), BaselineManifestSchema],
  ])
    files.set(`${name}.json`, document(name, description, jsonSchema(schema)));
  return files;
}
