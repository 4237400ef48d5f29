import 'reflect-metadata';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  encodeEvent,
  QueryEntry,
  QueryLog,
  QueryOperation,
  QueryOutcome,
  QuerySessions,
  QueryVersion,
  QueryWorkspaces,
} from '@retrace/contracts';
import { CallClient, LOCAL_OPERATOR } from '@retrace/messaging';
import { ann, bob, given, id, ws } from '@retrace/read-models/testing';
import { jetstream } from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';
import { ProjectionBed } from './testing/projection-bed.js';

const a = { n: 1, path: 'a', to: given.file(1) };
const undoA = { n: 9, path: 'a', to: given.file(0), from: given.file(1), compensates: [1] };

const LOG = [
  given.workspaceRegistered({ sequence: 1 }),
  given.policyPublished(1, { sequence: 2 }),
  given.memberAdded(ann, { sequence: 3 }),
  given.sessionOpened(1, { sequence: 4 }),
  given.authorized(2, [a], { sequence: 5 }),
  given.applied(2, [a], { sequence: 6 }),
  given.stepRequested(9, 1, [undoA], { sequence: 7, agent: LOCAL_OPERATOR }),
  given.applied(9, [undoA], { sequence: 8, agent: LOCAL_OPERATOR }, given.asRollback(9)),
  given.rollbackCompleted(9, { sequence: 9, agent: LOCAL_OPERATOR }),
  given.denied(3, { sequence: 10, agent: bob }),
];

describe('projection on a real bus', () => {
  let bed: ProjectionBed;

  beforeEach(async () => {
    bed = await ProjectionBed.open(ann, bob);
  }, 120_000);
  afterEach(() => bed.close(), 60_000);

  const log = (principal = LOCAL_OPERATOR, more: object = {}) => bed.ask(principal, QueryLog, ws, more);

  it('answers every query about a log that was there before, and about what comes', async () => {
    await bed.write(...LOG.slice(0, 5));
    await bed.start();
    const min_sequence = await bed.write(...LOG.slice(5));
    const { operations } = await bed.ask(ann, QueryOperation, '_', { id: id('op', 1), min_sequence });
    expect(operations).toMatchObject([
      { sequence: 6, workspace: ws, undone_by: id('op', 9), state_snapshot_after: { sequence: 6 } },
    ]);
    const { entries } = await log(LOCAL_OPERATOR, { min_sequence });
    expect(entries.map(({ status, undone_by }) => [status, undone_by])).toEqual([
      ['applied', id('lop', 9)],
      ['applied', null],
      ['denied', null],
    ]);
    expect(await bed.ask(bob, QueryEntry, ws, { id: 10, min_sequence })).toMatchObject({
      entry: { status: 'denied', code: 'rule_denies' },
      intent_id: id('int', 3),
      root: '/srv/shop',
    });
    expect((await bed.ask(ann, QuerySessions, ws, {})).sessions).toMatchObject([{ operations: 1, status: 'active' }]);
    expect((await bed.ask(ann, QueryWorkspaces, '_', { min_sequence })).workspaces).toMatchObject([
      { name: ws, policy_version: 1, members: [ann], logical_operations: 2 },
    ]);
    expect(await bed.ask(LOCAL_OPERATOR, QueryVersion, ws, { path: './a', at_sequence: 6 })).toMatchObject({
      path: 'a',
      sequence: 6,
      state: a.to,
    });
    expect(await bed.ask(ann, QueryOutcome, ws, { intent_id: id('int', 2) })).toMatchObject({
      status: 'applied',
      sequence: 6,
      data: LOG[5]!.data,
    });
    expect(await bed.caughtUp()).toEqual({
      sequence: 10,
      last_sequence: 10,
      lag: 0,
      rejected: 0,
      unknown: 0,
      rebuild: null,
    });
  }, 60_000);

  it('shows an agent its own, and refuses the rest as if it were not there', async () => {
    await bed.write(...LOG);
    await bed.start();
    await bed.caughtUp();
    expect((await log(bob)).entries.map(({ agent }) => agent)).toEqual([bob]);
    await expect(bed.ask(bob, QueryOperation, ws, { id: id('op', 1) })).rejects.toMatchObject({ code: 'not_found' });
    await expect(bed.ask(bob, QueryEntry, ws, { id: 6 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(bed.ask(bob, QueryVersion, ws, { path: 'a' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await bed.ask(bob, QueryOutcome, ws, { intent_id: id('int', 2) })).toMatchObject({ status: 'undecided' });
    expect(await bed.ask(bob, QueryWorkspaces, '_', {})).toEqual({ workspaces: [] });
    await expect(bed.ask(bob, QueryLog, '_', {})).rejects.toMatchObject({ code: 'bad_request' });
    await expect(log(bob, { path: '../x' })).rejects.toMatchObject({ code: 'path_escapes' });
    await expect(log(bob, { min_sequence: 99 })).rejects.toMatchObject({ code: 'not_ready' });
  }, 60_000);

  it('rejects what it cannot read, says so in the log, and goes on', async () => {
    await bed.start();
    await bed.write(...LOG.slice(0, 5));
    const { subject, headers } = encodeEvent(LOG[5]!);
    for (const [name, value] of [
      ['ce-type', 'retrace.operation.applied.v99'],
      ['ce-id', id('evt', 77)],
    ] as const) {
      const altered = newHeaders();
      for (const [key, text] of Object.entries({ ...headers, [name]: value })) altered.set(key, text);
      await jetstream(await bed.connection('execution')).publish(subject, '{}', { headers: altered });
    }
    await bed.write(...LOG.slice(5));
    while ((await bed.caughtUp()).rejected < 2);
    expect((await log()).entries).toHaveLength(3);
    expect(await bed.caughtUp()).toMatchObject({ lag: 0, last_sequence: 14 });
  }, 60_000);

  it('goes on after a restart, and answers the same from an empty store', async () => {
    await bed.write(...LOG.slice(0, 6));
    await bed.start();
    await bed.caughtUp();
    await bed.stop();
    await bed.write(...LOG.slice(6));
    await bed.start();
    await bed.caughtUp();
    const answers = await log();
    await bed.stop();
    await rm(bed.store, { recursive: true });
    await bed.start();
    await bed.caughtUp();
    expect(await log()).toEqual(answers);
  }, 60_000);

  it('folds anew when the log went back behind its position', async () => {
    await bed.write(...LOG);
    await bed.start();
    await bed.caughtUp();
    await bed.stop();
    await bed.loseLog();
    await bed.write(...LOG.slice(0, 6), LOG[9]!);
    await bed.start();
    expect(await bed.caughtUp()).toEqual({
      sequence: 7,
      last_sequence: 7,
      lag: 0,
      rejected: 0,
      unknown: 0,
      rebuild: null,
    });
    expect((await log()).entries.map(({ sequence, undone_by }) => [sequence, undone_by])).toEqual([
      [6, null],
      [7, null],
    ]);
  }, 60_000);

  it('answers services in the same process, all fields of their calls heeded', async () => {
    const last = await bed.write(...LOG);
    await bed.start();
    const calls = CallClient.forService(await bed.connection('policy'), bed.localCalls);
    const { entries } = await calls.call(QueryLog, ws, { path: 'a/', limit: 1, min_sequence: last });
    expect(entries.map(({ sequence }) => sequence)).toEqual([8]);
    await expect(calls.call(QueryLog, ws, { path: '../x' })).rejects.toMatchObject({ code: 'path_escapes' });
    await expect(calls.call(QueryLog, ws, { min_sequence: 99 })).rejects.toMatchObject({ code: 'not_ready' });
  }, 60_000);
});
