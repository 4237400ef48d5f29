import { describe, expect, it } from '@jest/globals';
import { ABSENT } from '@retrace/contracts';
import * as given from '../testing/events.js';
import { id } from '../testing/stored.js';
import * as fold from './logical-operation.projection.js';

const ops = [{ n: 1, path: 'src/a', to: ABSENT }];
const planned = fold.planned(undefined, given.authorized(1, ops, { sequence: 5 }));

describe('a logical operation', () => {
  it('has a plan and no place in the log before it ended', () => {
    const operation = { operation_id: id('op', 1), action: 'mkdir', path: 'src/a', part: 1 };
    expect(planned).toMatchObject({ status: 'authorized', sequence: null, planned: [operation], rule: 'allow src' });
  });

  it('is applied where its outcome stands', () => {
    const applied = fold.applied(planned, given.applied(1, ops, { sequence: 6 }));
    expect(applied).toMatchObject({ status: 'applied', sequence: 6, tool: 'write_file', policyVersion: 1 });
  });

  it('is read off its outcome where nobody saw the authorization', () => {
    const applied = fold.applied(undefined, given.applied(1, ops, { sequence: 6 }));
    expect(applied).toMatchObject({ status: 'applied', tool: 'write_file', reason: 'asked for', rule: 'allow src' });
    expect(fold.failed(undefined, given.failed(1, { sequence: 6 }))).toMatchObject({ status: 'failed', tool: null });
  });

  it('fails with the reason, about the paths it had planned', () => {
    const event = given.failed(1, { sequence: 6 }, { path: 'src/b' });
    expect(fold.failed(planned, event)).toMatchObject({ status: 'failed', code: 'exists', sequence: 6 });
    const { path, expected, found, needs_attention } = event.data;
    expect(fold.failed(planned, event).failure).toEqual({ path, expected, found, needs_attention });
    expect(fold.failedPaths(planned, event)).toEqual(['src/a', 'src/b']);
  });

  it('goes stale and is planned anew, but never once it has ended', () => {
    const stale = fold.wentStale(planned, given.stale(1, { sequence: 6 }));
    expect(stale).toMatchObject({ status: 'stale' });
    const again = given.authorized(1, ops, { sequence: 7 }, { attempt: 2, reason: 'again' });
    expect(fold.planned(stale, again)).toMatchObject({ status: 'authorized', reason: 'again' });
    const applied = fold.applied(planned, given.applied(1, ops, { sequence: 8 }));
    expect(fold.planned(applied, again)).toBe(applied);
    expect(fold.wentStale(applied, given.stale(1, { sequence: 9 }))).toBe(applied);
  });

  it('of a rollback gathers the steps of its parts, each part once', () => {
    const rollback = fold.rollbackPlanned(undefined, given.rollbackAuthorized(9, { sequence: 5 }));
    const one = given.stepRequested(9, 1, [{ n: 91, path: 'a', to: ABSENT, compensates: [1] }], { sequence: 6 });
    const two = given.stepRequested(9, 2, [{ n: 92, path: 'b', to: ABSENT, compensates: [2] }], { sequence: 7 });
    const all = fold.stepsPlanned(fold.stepsPlanned(fold.stepsPlanned(rollback, one), one), two);
    expect(all?.planned.map(({ path, part }) => [path, part])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('of a rollback stays applied when a later part fails, and says what failed', () => {
    const part = given.applied(9, ops, { sequence: 6 }, given.asRollback(9));
    const failure = given.failed(9, { sequence: 7 }, given.asRollback(9, 2));
    const both = fold.failed(fold.applied(undefined, part), failure);
    expect(both).toMatchObject({ kind: 'rollback', status: 'applied', code: 'exists', sequence: 7 });
    const late = fold.applied(fold.failed(undefined, failure), given.applied(9, ops, { sequence: 8 }));
    expect(late).toMatchObject({ status: 'applied', code: 'exists', sequence: 8 });
  });
});
