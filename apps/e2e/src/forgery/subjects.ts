import { EVENTS, eventSubject, type Principal, PrincipalSchema, WorkspaceNameSchema } from '@retrace/contracts';

export const notes = WorkspaceNameSchema.parse('notes');
export const HONEST = PrincipalSchema.parse('honest');

const event = (agent: Principal, entity: string, verb: string) =>
  eventSubject({ workspace: notes, agent, entity, verb });

/** The event that would make a change of files out of nothing. */
export const APPLIED = event(HONEST, 'operation', 'applied');

/** A subject for every type of event. */
export const EVENT_SUBJECTS: readonly (readonly [type: string, subject: string])[] = EVENTS.map(
  ({ type, entity, verb }) => [type, event(HONEST, entity, verb)],
);

/** Requests that change streams and consumers, or end their leaders. */
export const CHANGING_REQUESTS: readonly string[] = ['RETRACE', 'RETRACE_IN'].flatMap((stream) => [
  ...['CREATE', 'UPDATE', 'DELETE', 'SNAPSHOT', 'RESTORE', 'MSG.DELETE', 'PEER.REMOVE', 'LEADER.STEPDOWN'].map(
    (verb) => `$JS.API.STREAM.${verb}.${stream}`,
  ),
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.x`,
  `$JS.API.CONSUMER.PAUSE.${stream}.x`,
  `$JS.API.CONSUMER.LEADER.STEPDOWN.${stream}.x`,
]);

export const READING_REQUESTS: readonly string[] = [
  '$JS.API.INFO',
  '$JS.API.STREAM.NAMES',
  '$JS.API.STREAM.LIST',
  ...['RETRACE', 'RETRACE_IN'].flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.${APPLIED}`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.x`,
    `$JS.API.CONSUMER.CREATE.${stream}.x.retrace.>`,
    `$JS.API.CONSUMER.NAMES.${stream}`,
    `$JS.API.CONSUMER.LIST.${stream}`,
    `$JS.API.CONSUMER.INFO.${stream}.x`,
    `$JS.API.CONSUMER.DELETE.${stream}.x`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.x`,
  ]),
];

/** What belongs to the server, and what other clients would take for its word. */
export const SERVER_SUBJECTS: readonly string[] = [
  '$JS.ACK.RETRACE.x.1.1.1.1.0',
  '$JS.FC.RETRACE.x.y',
  '$JS.API.ACCOUNT.PURGE.SERVICES',
  '$JS.API.META.LEADER.STEPDOWN',
  '$JS.API.SERVER.REMOVE',
  '$JS.EVENT.ADVISORY.x',
  '$SYS.REQ.SERVER.PING',
  '$SYS.REQ.ACCOUNT.SERVICES.CONNZ',
  '$SYS.ACCOUNT.SERVICES.CONNECT',
  '$KV.x.y',
  '$O.x.C.y',
];

/** What no principal, and no service, publishes. */
export const FOREIGN_SUBJECTS: readonly string[] = [
  'retrace.out.notes.honest.operation.applied',
  'retrace.intent.notes.honest',
  'retrace.intent.notes._op-root',
  'retrace.rpc.honest.notes.fs.read',
  'retrace.rpc._op-root.notes.policy.publish',
  'anything',
];

/** Of the services, which trust each other with them. */
export const SERVICE_SUBJECTS: readonly string[] = [
  'retrace.svc.notes.fs.facts',
  'retrace.svc._.blob.adopt',
  '_INBOX.honest.x',
  '_INBOX.x',
  '_R_.x',
];

/** What a principal must not hear. */
export const FOREIGN_EARS: readonly string[] = [
  '>',
  '*',
  '*.>',
  'retrace.>',
  'retrace.*.>',
  'retrace.event.>',
  'retrace.intent.>',
  'retrace.rpc.>',
  'retrace.svc.>',
  'retrace.out.*.honest.>',
  'retrace.out.notes.honest.operation.applied',
  'retrace.intent.notes.honest',
  'retrace.rpc.*.*.fs.read',
  '_INBOX.>',
  '_INBOX.*',
  '_INBOX.honest.>',
  '_R_.>',
  '$JS.>',
  '$JS.EVENT.>',
  '$SYS.>',
];
