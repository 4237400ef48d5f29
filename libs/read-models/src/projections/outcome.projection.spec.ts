import { describe, expect, it } from '@jest/globals';
import { ABSENT } from '@retrace/contracts';
import * as given from '../testing/events.js';
import * as fold from './outcome.projection.js';

const ops = [{ n: 1, path: 'a', to: ABSENT }];
const authorized = fold.outcomeAuthorized(undefined, given.authorized(1, ops, { sequence: 5 }));

describe('the outcome of an intent', () => {
  it('is authorized, without an ending event', () => {
    expect(authorized).toMatchObject({ status: 'authorized', attempt: 1, sequence: 5, type: null, data: null });
  });

  it('ends with the denial, data and all', () => {
    const event = given.denied(1, { sequence: 5 });
    expect(fold.outcomeDenied(undefined, event)).toMatchObject({
      status: 'denied',
      type: event.type,
      data: event.data,
    });
  });

  it('keeps the first of two decisions for one attempt', () => {
    expect(fold.outcomeDenied(authorized, given.denied(1, { sequence: 6 }))).toBe(authorized);
  });

  it('takes no further attempt unless the last one went stale', () => {
    expect(fold.outcomeDenied(authorized, given.denied(1, { sequence: 6 }, { attempt: 2 }))).toBe(authorized);
  });

  it('is undecided while stale, then what the next attempt becomes', () => {
    const stale = fold.outcomeStale(authorized, given.stale(1, { sequence: 6 }));
    expect(stale).toMatchObject({ status: 'undecided', sequence: 6 });
    const denied = fold.outcomeDenied(stale, given.denied(1, { sequence: 7 }, { attempt: 2 }));
    expect(denied).toMatchObject({ status: 'denied', attempt: 2 });
    expect(fold.outcomeDenied(stale, given.denied(1, { sequence: 7 }))).toBe(stale);
  });

  it('is not reopened by a stale word about another attempt', () => {
    expect(fold.outcomeStale(authorized, given.stale(1, { sequence: 6 }, { attempt: 2 }))).toBe(authorized);
  });

  it('ends with what was applied, operations left to their own table', () => {
    const applied = fold.outcomeApplied(authorized, given.applied(1, ops, { sequence: 6 }));
    expect(applied).toMatchObject({ status: 'applied', sequence: 6, type: 'retrace.operation.applied.v1' });
    expect(applied?.data).not.toHaveProperty('operations');
    expect(fold.outcomeFailed(applied, given.failed(1, { sequence: 7 }))).toBe(applied);
  });

  it('ends as failed', () => {
    expect(fold.outcomeFailed(authorized, given.failed(1, { sequence: 6 }))).toMatchObject({ status: 'failed' });
  });

  it('of a rollback is not ended by its parts, only by its report', () => {
    const rollback = fold.outcomeAuthorized(undefined, given.rollbackAuthorized(9, { sequence: 5 }));
    const part = given.applied(9, ops, { sequence: 6 }, given.asRollback(9));
    expect(fold.outcomeApplied(rollback, part)).toBe(rollback);
    const done = fold.outcomeRolledBack(rollback, given.rollbackCompleted(9, { sequence: 7 }));
    expect(done).toMatchObject({ status: 'completed', sequence: 7, type: 'retrace.rollback.completed.v1' });
  });

  it('of opening a session is complete', () => {
    expect(fold.outcomeAtOnce(undefined, given.sessionOpened(1, { sequence: 3 }))).toMatchObject({
      status: 'completed',
      type: 'retrace.session.opened.v1',
    });
  });
});
