import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { operatorPrincipal, PrincipalSchema, WorkspaceNameSchema } from './names.js';
import {
  decodeToken,
  encodeToken,
  eventSubject,
  intentSubject,
  outcomeSubject,
  parseEventSubject,
  parseIntentSubject,
  parseRpcSubject,
  PARTITIONS,
  partitionOf,
  rpcSubject,
  serviceSubject,
} from './subjects.js';

const docs = WorkspaceNameSchema.parse('docs');
const writer = PrincipalSchema.parse('writer');
const me = operatorPrincipal('me');

const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/);
const workspaces = name.map((text) => WorkspaceNameSchema.parse(text));
const principals = fc
  .oneof(
    name,
    name.map((text) => `_op-${text}`),
    fc.constantFrom('_', '_cleanup'),
  )
  .map((text) => PrincipalSchema.parse(text));

describe('tokens', () => {
  it('carry any text through one token of a subject', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const token = encodeToken(text);
        expect(token).toMatch(/^[A-Za-z0-9_=-]+$/);
        expect(decodeToken(token)).toBe(text);
      }),
    );
  });

  it('never meet: two texts have two tokens', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (encodeToken(a) === encodeToken(b)) === (a === b)));
  });

  it.each([
    ['a.b', 'a=2eb'],
    ['*', '=2a'],
    ['>', '=3e'],
    ['a b', 'a=20b'],
    ['=', '=3d'],
    ['', '='],
    ['ä', '=c3=a4'],
    ['_op-me', '_op-me'],
  ])('of %j is %s', (text, token) => {
    expect(encodeToken(text)).toBe(token);
  });
});

describe('partitionOf', () => {
  // Workspaces' events lie under these partitions for ever: a changed value splits a workspace's history in two.
  it.each([
    ['docs', 18],
    ['notes', 10],
    ['a', 44],
    ['retrace', 25],
    ['my-project-2', 32],
  ])('puts %s into partition %i', (workspace, partition) => {
    expect(partitionOf(workspace)).toBe(partition);
  });

  it('stays within the partitions and uses all of them', () => {
    const used = new Set(Array.from({ length: 2000 }, (_, i) => partitionOf(`workspace-${i}`)));
    expect(used.size).toBe(PARTITIONS);
    expect(Math.max(...used)).toBe(PARTITIONS - 1);
  });
});

describe('subjects', () => {
  it('are built as the accounts and streams expect them', () => {
    expect(intentSubject(docs, writer)).toBe('retrace.intent.docs.writer');
    expect(outcomeSubject(docs, writer)).toBe('retrace.out.docs.writer.>');
    expect(rpcSubject(me, { workspace: '_', service: 'query', verb: 'status' })).toBe(
      'retrace.rpc._op-me._.query.status',
    );
    expect(serviceSubject({ workspace: docs, service: 'fs', verb: 'facts' })).toBe('retrace.svc.docs.fs.facts');
    expect(eventSubject({ workspace: docs, agent: writer, entity: 'operation', verb: 'applied' })).toBe(
      `retrace.event.${partitionOf('docs')}.docs.writer.operation.applied`,
    );
  });

  it('read back what was built', () => {
    fc.assert(
      fc.property(workspaces, principals, (workspace, principal) => {
        expect(parseIntentSubject(intentSubject(workspace, principal))).toEqual({ workspace, principal });
        const event = { workspace, agent: principal, entity: 'intent', verb: 'denied' };
        expect(parseEventSubject(eventSubject(event))).toEqual(event);
        const call = { workspace, service: 'fs', verb: 'read' };
        expect(parseRpcSubject(rpcSubject(principal, call))).toEqual({ principal, ...call });
        expect(parseRpcSubject(serviceSubject(call))).toEqual({ principal: undefined, ...call });
        expect(parseRpcSubject(serviceSubject({ ...call, workspace: '_' }))?.workspace).toBe('_');
      }),
    );
  });

  // `=64ocs` and `do$cs` would decode to `docs`: one workspace under two subjects has no order.
  const FOREIGN = ['Docs', 'do=2ecs', '=64ocs', 'do$cs', 'docs=', '', '*', '>', '=', 'docs docs', '-docs'];

  it.each(FOREIGN)('with %j for a workspace are nobody’s', (token) => {
    expect(parseIntentSubject(`retrace.intent.${token}.writer`)).toBeUndefined();
    expect(parseEventSubject(`retrace.event.${partitionOf('docs')}.${token}.writer.a.b`)).toBeUndefined();
    expect(parseRpcSubject(`retrace.rpc.writer.${token}.fs.read`)).toBeUndefined();
    expect(parseRpcSubject(`retrace.svc.${token}.fs.read`)).toBeUndefined();
  });

  it.each(FOREIGN)('with %j for a principal are nobody’s', (token) => {
    expect(parseIntentSubject(`retrace.intent.docs.${token}`)).toBeUndefined();
    expect(parseEventSubject(`retrace.event.${partitionOf('docs')}.docs.${token}.a.b`)).toBeUndefined();
    expect(parseRpcSubject(`retrace.rpc.${token}.docs.fs.read`)).toBeUndefined();
  });

  it.each([
    'retrace.intent.docs',
    'retrace.intent.docs.writer.x',
    'other.intent.docs.writer',
    `retrace.event.${partitionOf('docs')}.docs.writer.a`,
    `retrace.event.${partitionOf('docs')}.docs.writer.a.b.c`,
    `retrace.event.${partitionOf('docs')}.docs.writer..b`,
    // The right shape in another partition's lane.
    `retrace.event.${(partitionOf('docs') + 1) % PARTITIONS}.docs.writer.a.b`,
    'retrace.rpc.writer.docs.fs',
    'retrace.rpc.writer.docs.fs.read.x',
    'retrace.svc.docs.fs',
    'retrace.svc.docs.fs.read.x',
    'retrace.out.docs.writer.a.b',
    '',
  ])('of another shape are not read: %j', (subject) => {
    expect(parseIntentSubject(subject)).toBeUndefined();
    expect(parseEventSubject(subject)).toBeUndefined();
    expect(parseRpcSubject(subject)).toBeUndefined();
  });
});
