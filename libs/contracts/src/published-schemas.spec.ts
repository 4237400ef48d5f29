import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { encodeEvent, type EventEnvelope } from './envelope.js';
import { EVENTS } from './events/catalogue.js';
import { EVENT_SAMPLES } from './events/event-samples.testing.js';
import { IntentSchema } from './intent.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../docs/spec/schemas');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const json = (name: string): Record<string, unknown> => JSON.parse(read(name)) as Record<string, unknown>;
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));

const validator = (): Ajv => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  (formats as unknown as (ajv: Ajv) => void)(ajv);
  return ajv;
};
/** What is wrong with a value, by a published schema. */
const faults = (schema: object, value: unknown): unknown => {
  const validate = validator().compile(schema);
  return validate(value) ? [] : validate.errors;
};

describe('the published schemas', () => {
  it.each(files)('%s is a JSON Schema', (name) => {
    expect(validator().validateSchema(json(name))).toBe(true);
  });

  it.each(EVENTS.map(({ entity, verb, version }) => [`${entity}.${verb}`, version] as const))(
    '%s takes what its event is, and nothing that is none',
    (name, version) => {
      const schema = json(`events/${name}.v${version}.json`);
      const sample = EVENT_SAMPLES[name] as Record<string, unknown>;
      expect(faults(schema, sample)).toEqual([]);
      expect(faults(schema, { ...sample, one_more: 1 })).toEqual([]);
      const required = schema['required'] as string[];
      expect(faults(schema, { ...sample, [required[0]!]: { wrong: true } })).not.toEqual([]);
    },
  );

  it('take the attributes of an event as headers', () => {
    const [definition] = EVENTS.filter(({ type }) => type === 'retrace.member.added.v1');
    const sample = { data: EVENT_SAMPLES['member.added'], workspace: 'docs', agent: 'writer', page: '1/3' };
    const uuid = '01890a5d-ac96-774b-bcce-b302099a8057';
    const head = { id: `evt_${uuid}`, type: definition!.type, source: 'retrace/policy', time: '2026-01-01T00:00:00Z' };
    const { headers } = encodeEvent({ ...sample, ...head } as unknown as EventEnvelope);
    const attributes = Object.entries(headers).map(([name, value]) => [name.replace('ce-', ''), value]);
    expect(faults(json('event-attributes.json'), Object.fromEntries(attributes))).toEqual([]);
    expect(faults(document.components.schemas['EventHeaders']!, headers)).toEqual([]);
    expect(faults(document.components.schemas['EventHeaders']!, { ...headers, 'ce-id': 'x' })).not.toEqual([]);
  });

  it('have a file for each intent', () => {
    const types = IntentSchema.options.map((option) => option.shape.type.value);
    expect(files.filter((name) => name.startsWith('intents/')).toSorted()).toEqual(
      types.map((type) => `intents/${type}.json`).toSorted(),
    );
  });
});

interface AsyncApi {
  readonly components: { readonly schemas: Record<string, object>; readonly messages: Record<string, object> };
}
const document = parse(read('asyncapi.yaml')) as AsyncApi;

const references = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
};

/** What a reference means; `undefined`: nothing. */
function resolve(reference: string): unknown {
  const [file, pointer = ''] = reference.split('#');
  let value: unknown = file === '' ? document : json(file!);
  for (const name of pointer.split('/').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

function officialSchema(): object {
  const schema = structuredClone(specs.schemas['3.0.0' as keyof typeof specs.schemas]) as {
    definitions: Record<string, unknown>;
  };
  // The validator brings the schema of JSON Schema itself.
  delete schema.definitions['http://json-schema.org/draft-07/schema'];
  return schema;
}

describe('the AsyncAPI document', () => {
  it('is one, by the official schema', () => {
    const schema = officialSchema();
    expect(faults(schema, document)).toEqual([]);
    expect(faults(schema, { ...document, channels: { 'a b': 7 } })).not.toEqual([]);
  });

  it('refers to nothing that is not there', () => {
    const all = [...new Set(references(document))];
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((reference) => resolve(reference) === undefined)).toEqual([]);
  });

  it('names every published event, intent and call', () => {
    const used = new Set(references(document).map((reference) => reference.split('#')[0]!.replace('./', '')));
    const published = files.filter((name) => /^(events|intents|calls)\//.test(name));
    expect(published.filter((name) => !used.has(name))).toEqual([]);
  });
});
