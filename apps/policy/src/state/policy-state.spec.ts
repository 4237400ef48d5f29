import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { partitionOf } from '@retrace/contracts';
import { LmdbPolicyStore } from '../adapters/lmdb/lmdb-policy-store.js';
import type { FoldedEvent } from '../domain/fold-event.js';
import {
  applied,
  authorized,
  id,
  memberAdded,
  operation,
  published,
  ready,
  registered,
  wentStale,
} from '../domain/testing.js';
import { PolicyState } from './policy-state.js';

const LANE = String(partitionOf('ws'));
const write = [operation('delete', 'free/a', 1)];

describe('what policy knows', () => {
  let folder: string;
  let store: LmdbPolicyStore;
  let state: PolicyState;
  const fold = (...events: FoldedEvent[]) =>
    events.map((event) => state.fold(event, LANE, { sequence: event.sequence, eventId: event.id }));
  const reopen = async (): Promise<void> => {
    await store.close();
    store = LmdbPolicyStore.open(folder, 'process');
    state = new PolicyState(store);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retrace-policy-state-'));
    store = LmdbPolicyStore.open(folder, 'process');
    state = new PolicyState(store);
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('survives a restart with its position, work in flight included', async () => {
    const last = authorized(1, write);
    fold(...ready, last);
    await reopen();
    expect(state.foldedTo(LANE)).toBe(last.sequence);
    expect(state.get('member', ['ws', 'writer'])).toBeDefined();
    expect(state.newestInflight('ws', 'free/a')).toMatchObject({ operation_id: id('op', 1), leaves: 'nothing' });
  });

  it('includes what was published and is not folded yet, and that alone once it is', () => {
    fold(...ready);
    const decision = authorized(1, write);
    state.published(decision);
    expect(state.get('operation', ['ws', id('op', 1)])).toBeDefined();
    expect(store.get('operation', ['ws', id('op', 1)])).toBeUndefined();
    expect(state.newestInflight('ws', 'free/a')).toMatchObject({ operation_id: id('op', 1) });
    fold(decision, applied(1));
    expect(store.get('operation', ['ws', id('op', 1)])).toBeDefined();
    expect(state.newestInflight('ws', 'free/a')).toBeUndefined();
  });

  it('keeps what was published later while the lane brings what came before', () => {
    fold(...ready);
    const [first, second] = [authorized(1, write), authorized(2, [operation('edit', 'free/b', 2)])];
    state.published(first);
    state.published(second);
    fold(first);
    expect(state.get('operation', ['ws', id('op', 2)])).toBeDefined();
  });

  it('does not bring back what was folded before its own publish was answered', () => {
    const decision = authorized(1, write);
    fold(...ready, decision, applied(1));
    state.published(decision);
    expect(state.newestInflight('ws', 'free/a')).toBeUndefined();
  });

  it('takes the newest of several in flight', () => {
    fold(
      ...ready,
      authorized(1, write),
      authorized(2, [operation('create', 'free/a', 2), operation('edit', 'free/a', 3)]),
    );
    expect(state.newestInflight('ws', 'free/a')).toMatchObject({ operation_id: id('op', 3), leaves: 'something' });
    fold(applied(2));
    expect(state.newestInflight('ws', 'free/a')).toMatchObject({ operation_id: id('op', 1) });
  });

  it('folds an event once', () => {
    const member = memberAdded;
    const [first, again] = fold(member, member);
    expect([first?.length, again?.length]).toEqual([1, 0]);
  });

  it('forgets a lane whole and folds it again', async () => {
    const history = [
      ...ready,
      authorized(1, write),
      wentStale(1, 'moved'),
      authorized(2, [operation('edit', 'free/b', 2)]),
    ];
    fold(...history);
    expect([...state.staleIntents()]).toHaveLength(1);
    state.forget(LANE);
    expect(state.foldedTo(LANE)).toBe(0);
    expect(state.get('workspace', ['ws'])).toBeUndefined();
    expect(state.newestInflight('ws', 'free/b')).toBeUndefined();
    expect([...state.staleIntents()]).toEqual([]);
    fold(...history);
    expect(state.newestInflight('ws', 'free/b')).toBeDefined();
    expect([...state.staleIntents()]).toMatchObject([{ workspace: 'ws', row: { attempt: 2 } }]);
  });

  it('forgets no other lane', () => {
    fold(registered);
    state.forget(String((partitionOf('ws') + 1) % 64));
    state.forget(String((partitionOf('ws') + 63) % 64));
    expect(state.get('workspace', ['ws'])).toBeDefined();
  });

  it('tells when a place in the log is folded', async () => {
    const event = published();
    const folded = state.folded(LANE, event.sequence);
    const ended = new AbortController();
    const never = state.folded(LANE, Number.MAX_SAFE_INTEGER, ended.signal);
    fold(event);
    await folded;
    await state.folded(LANE, event.sequence);
    ended.abort(new Error('enough'));
    await expect(never).rejects.toThrow('enough');
  });
});
