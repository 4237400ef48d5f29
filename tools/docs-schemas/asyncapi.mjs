import { callFile, calls, eventFile, events, intentFile, intents } from './json-schemas.mjs';

const ref = ($ref) => ({ $ref });
const schemaOf = (file, pointer = '') => ({
  schemaFormat: 'application/schema+json;version=draft-07',
  schema: ref(`./${file}${pointer}`),
});

const PARAMETERS = {
  partition: { description: 'FNV-1a over the name of the workspace, mod 64.' },
  workspace: { description: 'The workspace as a subject token; `_` where none is meant.' },
  agent: { description: 'Who is answered, as a subject token; `_`: nobody.' },
  principal: {
    description: 'Who asks or hears, as a subject token. The server lets each write and hear its own alone.',
  },
  event: { description: '`<entity>.<verb>`: two tokens.' },
};

const channel = (address, messages, description) => {
  const used = [...(address ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, PARAMETERS[name]]);
  return {
    address,
    ...(description && { description }),
    ...(used.length > 0 && { parameters: Object.fromEntries(used) }),
    messages: Object.fromEntries(messages.map((name) => [name, ref(`#/components/messages/${name}`)])),
  };
};

const eventMessage = (event, description) => ({
  name: event.type,
  title: `${event.entity}.${event.verb}`,
  ...(description && { summary: description }),
  contentType: 'application/json',
  headers: ref('#/components/schemas/EventHeaders'),
  payload: schemaOf(eventFile(event)),
});

/** CloudEvents in NATS binary mode: each attribute is a header with `ce-` before its name. */
function eventHeaders(attributes) {
  const header = (name) => `ce-${name}`;
  const { properties, required } = attributes;
  return {
    type: 'object',
    properties: {
      'ce-specversion': { type: 'string', const: '1.0' },
      'content-type': { type: 'string', const: 'application/json' },
      ...Object.fromEntries(Object.entries(properties).map(([name, schema]) => [header(name), schema])),
      'Nats-Sequence': { type: 'string', description: 'On `retrace.out.…` alone: the place in the log.' },
    },
    required: ['ce-specversion', ...required.map(header)],
  };
}

/** The AsyncAPI 3 document of the bus, as the services see it: they receive intents and calls, and send events. */
export function asyncapi(files, comments) {
  const channels = {};
  const operations = {};
  const messages = {
    problem: { name: 'problem', title: 'A refused call', payload: schemaOf('problem.json') },
  };
  const channelRef = (name) => ref(`#/channels/${name}`);

  for (const [name, event] of events()) {
    messages[name] = eventMessage(event, files.get(eventFile(event)).description);
    channels[name] = channel(`retrace.event.{partition}.{workspace}.{agent}.${name}`, [name]);
    operations[`send.${name}`] = { action: 'send', channel: channelRef(name) };
  }
  channels.outcomes = channel(
    'retrace.out.{workspace}.{principal}.{event}',
    events().map(([name]) => name),
    'What the server stored in the log, to whoever it concerns, with its place in `Nats-Sequence`.',
  );
  operations['send.outcomes'] = { action: 'send', channel: channelRef('outcomes') };

  const intentNames = intents().map(([type]) => `intent-${type}`);
  for (const [type] of intents())
    messages[`intent-${type}`] = {
      name: type,
      title: type,
      ...(comments.ofIntent(type) && { summary: comments.ofIntent(type) }),
      contentType: 'application/json',
      payload: schemaOf(intentFile(type)),
    };
  channels.intents = channel('retrace.intent.{workspace}.{principal}', intentNames);
  operations['receive.intents'] = { action: 'receive', channel: channelRef('intents') };

  for (const [pattern] of calls()) {
    const { description } = files.get(callFile(pattern));
    const [request, reply] = [`call-${pattern}`, `reply-${pattern}`];
    const payload = (side) => schemaOf(callFile(pattern), `#/definitions/${side}`);
    messages[request] = { name: request, title: pattern, ...(description && { summary: description }) };
    messages[request].payload = payload('request');
    messages[reply] = { name: reply, title: `answer of ${pattern}`, payload: payload('reply') };
    channels[request] = channel(`retrace.rpc.{principal}.{workspace}.${pattern}`, [request]);
    channels[reply] = channel(
      null,
      [reply, 'problem'],
      'The reply subject of the request; errors carry `Retrace-Error`.',
    );
    operations[`answer.${pattern}`] = {
      action: 'receive',
      channel: channelRef(request),
      reply: { channel: channelRef(reply) },
    };
  }

  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Retrace on the bus',
      version: '1.0.0',
      description:
        'Streams, calls and events of Retrace on NATS, as its services see them. The rules stand in docs/spec/log.md.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels,
    operations,
    components: { schemas: { EventHeaders: eventHeaders(files.get('event-attributes.json')) }, messages },
  };
}
