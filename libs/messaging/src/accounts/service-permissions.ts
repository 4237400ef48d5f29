/** The users of the account SERVICES. `setup` makes streams when the bus starts; the others are the services. */
export const SERVICE_USERS = ['setup', 'policy', 'execution', 'snapshot', 'projection', 'rollback'] as const;
export type ServiceUser = (typeof SERVICE_USERS)[number];

export type ServicePermissions = {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
};

const LOG = 'RETRACE';
const DOOR = 'RETRACE_IN';

/** Event types a service may write, for every partition, workspace and agent. */
const events = (...types: string[]): string[] => types.map((type) => `retrace.event.*.*.*.${type}`);

/** Calls it answers, from principals and from other services. Its own name is always one of them: that is where it is pinged. */
const answers = (...names: string[]): string[] =>
  names.flatMap((name) => [`retrace.rpc.*.*.${name}.>`, `retrace.svc.*.${name}.>`]);

/**
 * What reading one stream takes: look at it, get single messages, run ordered (pull) consumers. Each subject names the
 * stream, and the server checks it against the request, so the right to read the log gives none to read intents.
 */
const reads = (stream: string): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.API.CONSUMER.CREATE.${stream}`, // without a name: how the client makes its first ordered consumer
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.*`,
  `$JS.API.CONSUMER.DELETE.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
];

/**
 * Answers go to two places: a caller in another account is known by a reply subject that the server made up (`_R_.…`), a
 * service by its inbox. Both are listed and `allow_responses` is not used: it would let whoever asks choose where the
 * answer goes, a foreign event's subject included.
 */
const REPLIES = ['_R_.>', '_INBOX.>'];

/** What the server stored of the log, as it tells everybody who may hear of it. */
const STORED = 'retrace.out.>';

/** What every service does beside its own: call the others, read the log, answer. */
const SHARED = ['$JS.API.INFO', 'retrace.svc.>', ...reads(LOG), ...REPLIES];

const service = (publish: readonly string[], subscribe: readonly string[]): ServicePermissions => ({
  publish: [...publish, 'retrace.event.*.*.*.message.rejected', ...SHARED],
  subscribe: ['_INBOX.>', STORED, ...subscribe],
});

/** Rights per service, least first; an event type has one writer, so its presence in the log says who wrote it. */
export const SERVICE_PERMISSIONS: Readonly<Record<ServiceUser, ServicePermissions>> = {
  // Makes and updates the streams. It cannot delete or purge one, nor publish: its password is used for a second at start.
  setup: {
    publish: [
      '$JS.API.INFO',
      '$JS.API.STREAM.NAMES',
      '$JS.API.STREAM.LIST',
      '$JS.API.STREAM.INFO.*',
      '$JS.API.STREAM.CREATE.*',
      '$JS.API.STREAM.UPDATE.*',
    ],
    subscribe: ['_INBOX.>'],
  },

  // The one admission door: alone in reading intents, and in deleting those it has answered (room for the next ones).
  policy: service(
    [
      ...events('intent.authorized', 'intent.denied', 'rollback.authorized', 'policy.published', 'member.added'),
      ...events('session.*', 'logical_operation.*', 'confirmation.*', 'grant.*', 'handoff.*'),
      ...reads(DOOR),
      `$JS.API.STREAM.PURGE.${DOOR}`,
    ],
    answers('policy', 'confirm'),
  ),

  // The only writer of workspaces, so the only one that may say what happened to files.
  execution: service(
    [
      ...events('operation.applied', 'operation.failed', 'intent.stale'),
      ...events('workspace.*', 'external.changed', 'access.refused'),
    ],
    answers('execution', 'fs'),
  ),

  snapshot: service(events('blob.*', 'snapshot.*'), answers('snapshot', 'blob')),

  // Folds everything and decides nothing: sealing is the only thing it adds to the log.
  projection: service(events('log.sealed'), answers('projection', 'query')),

  // Not `rollback.authorized`: a saga that could authorize itself would need no policy.
  rollback: service(
    events('rollback.step_requested', 'rollback.completed', 'rollback.failed'),
    answers('rollback', 'plan'),
  ),
};
