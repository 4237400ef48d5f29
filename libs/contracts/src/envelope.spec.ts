import { describe, expect, it } from '@jest/globals';
import { decodeEvent, definitionOf, type EncodedEvent, encodeEvent, type EventEnvelope } from './envelope.js';
import { EVENT_SAMPLES } from './events/event-samples.testing.js';
import { EVENTS } from './events/catalogue.js';
import { MemberAdded } from './events/workspace.events.js';
import { shapeOf } from './shape.js';

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

const envelope = (type: string, data: unknown, more: Record<string, unknown> = {}): EventEnvelope =>
  ({
    id: `evt_${UUID}`,
    type,
    source: 'retrace/policy',
    time: '2026-01-01T00:00:00.000Z',
    workspace: 'docs',
    agent: 'writer',
    data,
    ...more,
  }) as unknown as EventEnvelope;

const member = (more: Record<string, unknown> = {}): EventEnvelope =>
  envelope(MemberAdded.type, EVENT_SAMPLES['member.added'], more);

const decode = ({ subject, headers, body }: EncodedEvent) =>
  decodeEvent({ subject, header: (name) => headers[name], body }, 5);

/** With a quick look. */
const quickly = ({ subject, headers, body }: EncodedEvent) =>
  decodeEvent({ subject, header: (name) => headers[name], body }, 5, 'quick');

/** What becomes of an encoded event that something happened to. */
const decodeChanged = (change: Partial<EncodedEvent> & { header?: Record<string, string> }) => {
  const encoded = encodeEvent(member());
  return () => decode({ ...encoded, ...change, headers: { ...encoded.headers, ...change.header } });
};

describe('the catalogue', () => {
  it('names every event once, by entity, verb and version', () => {
    expect(new Set(EVENTS.map(({ type }) => type)).size).toBe(EVENTS.length);
    // Handlers are bound by entity and verb: two versions of an event stand in one definition and an upcaster.
    expect(new Set(EVENTS.map(({ entity, verb }) => `${entity}.${verb}`)).size).toBe(EVENTS.length);
    for (const definition of EVENTS) {
      expect(definition.type).toBe(`retrace.${definition.entity}.${definition.verb}.v${definition.version}`);
      expect(definitionOf(definition.type)).toBe(definition);
    }
    expect(definitionOf('toString')).toBeUndefined();
  });
});

describe('an event', () => {
  it.each(EVENTS.map((definition) => [`${definition.entity}.${definition.verb}`, definition] as const))(
    '%s comes back as it went out',
    (name, definition) => {
      const event = envelope(definition.type, EVENT_SAMPLES[name]);
      const encoded = encodeEvent(event);
      expect(encoded.subject).toBe(`retrace.event.18.docs.writer.${name}`);
      expect(decode(encoded)).toEqual({ ...event, sequence: 5 });
      expect(JSON.stringify(quickly(encoded))).toBe(JSON.stringify(decode(encoded)));
      // The sample has every field, none of them made up by the schema.
      expect(JSON.parse(encoded.body)).toEqual(EVENT_SAMPLES[name]);
    },
  );

  it('is parsed where a quick look does not like it', () => {
    const encoded = encodeEvent(member());
    const data = JSON.parse(encoded.body) as object;
    expect(quickly({ ...encoded, body: JSON.stringify({ ...data, other: 1 }) }).data).toEqual(data);
    expect(() => quickly({ ...encoded, body: JSON.stringify({ ...data, member: 7 }) })).toThrow('member');
  });

  it('is looked at quickly, whatever its type: no schema of an event does more than a look can see', () => {
    for (const { type, data: schema, entity, verb } of EVENTS)
      expect([type, shapeOf(schema)(EVENT_SAMPLES[`${entity}.${verb}`])]).toEqual([type, true]);
  });

  it('carries its correlation, cause, session and trace as headers', () => {
    const links = {
      correlationid: `int_${UUID}`,
      causationid: `evt_${UUID}`,
      sessionid: `ses_${UUID}`,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const encoded = encodeEvent(member(links));
    expect(encoded.headers['ce-correlationid']).toBe(links.correlationid);
    expect(decode(encoded)).toMatchObject(links);
  });

  it('has no header for what is not set', () => {
    expect(Object.keys(encodeEvent(member({ sessionid: undefined })).headers)).not.toContain('ce-sessionid');
  });

  it('keeps no field that its schema does not know', () => {
    const encoded = encodeEvent(envelope(MemberAdded.type, { ...(EVENT_SAMPLES['member.added'] as object), more: 1 }));
    expect(encoded.body).not.toContain('more');
  });

  it.each([
    ['data of another shape', member({ data: { member: 'NO NAME' } }), 'member'],
    ['an id that is none', member({ id: 'evt_1' }), 'id'],
    ['a line end in a header', member({ traceparent: 'a\r\nce-type: x' }), 'printable'],
    ['a time nobody can read', member({ time: 'yesterday' }), 'datetime'],
    ['a type nobody knows', member({ type: 'retrace.member.added.v99' }), 'no event type'],
  ])('does not go out with %s', (_, event, why) => {
    expect(() => encodeEvent(event)).toThrow(why);
  });

  it.each([
    ['a body that is no JSON', decodeChanged({ body: '{"member":' }), 'bad_json'],
    ['no body', decodeChanged({ body: '' }), 'bad_json'],
    ['data of another shape', decodeChanged({ body: '{"member":7}' }), 'bad_request'],
    ['JSON null for data', decodeChanged({ body: 'null' }), 'bad_request'],
    ['no id', decodeChanged({ header: { 'ce-id': '' } }), 'bad_request'],
    ['an id that is none', decodeChanged({ header: { 'ce-id': 'x' } }), 'bad_request'],
    ['no source', decodeChanged({ header: { 'ce-source': '' } }), 'bad_request'],
    ['a session id that is none', decodeChanged({ header: { 'ce-sessionid': 'x' } }), 'bad_request'],
    ['a version nobody knows', decodeChanged({ header: { 'ce-type': 'retrace.member.added.v99' } }), 'unknown_type'],
    [
      'the type of another subject',
      decodeChanged({ header: { 'ce-type': 'retrace.policy.published.v1' } }),
      'bad_subject',
    ],
    ['a subject that is no event’s', decodeChanged({ subject: 'retrace.event.x' }), 'bad_subject'],
    [
      'a workspace that is none',
      decodeChanged({ subject: 'retrace.event.1.Do$cs.writer.member.added' }),
      'bad_subject',
    ],
  ])('is refused on reading with %s', (_, read, code) => {
    expect(read).toThrow(expect.objectContaining({ name: 'RetraceError', code }));
  });
});
