import { describe, expect, it } from '@jest/globals';
import { ABSENT } from '@retrace/contracts';
import * as given from '../testing/events.js';
import { id } from '../testing/stored.js';
import * as fold from './logical-operation.projection.js';
import { plannedPart, plannedSteps, touchedPaths } from './planned-part.projection.js';

const ops = [{ n: 1, path: 'src/a', to: ABSENT }];
const planned = fold.planned(undefined, given.authorized(1, ops, { sequence: 5 }));

describe('a logical operation', () => {
  it('has a plan and no place in the log before it ended', () => {
    expect(planned).toMatchObject({ status: 'authorized', sequence: null, opening: null, rule: 'allow src' });
    const part = plannedPart(given.authorized(1, ops, { sequence: 5 }));
    const operation = { operation_id: id('op', 1), action: 'mkdir', path: 'src/a', from: null, paths: 1 };
    expect(part).toMatchObject({ part: 1, operations: [operation], operationCount: 1, pathCount: 1 });
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
    expect(fold.failed(planned, event).failure).toEqual({
      path: 'src/b',
      expected: null,
      found: null,
      needs_attention: [],
    });
    const part = plannedPart(given.authorized(1, ops, { sequence: 5 }));
    expect(touchedPaths(part, event).map(({ path, action }) => [path, action])).toEqual([
      ['src/a', 'mkdir'],
      ['src/b', ''],
    ]);
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

  it('of a rollback plans the steps of its requests', () => {
    const request = given.stepRequested(9, 2, [{ n: 92, path: 'b', to: ABSENT, compensates: [2] }], { sequence: 7 });
    const operation = { operation_id: id('op', 92), action: 'restore', path: 'b', from: null, paths: 1 };
    expect(plannedSteps(request)).toMatchObject({ part: 2, operations: [operation], paths: [['b', 'restore']] });
  });

  it('names the first hundred asked operations, and counts all with their parts and the ends of moves', () => {
    const many = Array.from({ length: 150 }, (_, n) => ({ n: n + 1, path: `a${n}`, to: ABSENT }));
    const move = { n: 151, path: 'new', to: given.file(1), movedFrom: 'old', asks: 'move' as const };
    const part = { n: 152, path: 'new/x', to: ABSENT, partOf: 1 };
    const row = plannedPart(given.authorized(1, [...many, move, part], { sequence: 5 }));
    expect(row.operations).toHaveLength(100);
    expect(row).toMatchObject({ operationCount: 151, pathCount: 153 });
    expect(row.operations[0]).toMatchObject({ operation_id: id('op', 1), paths: 2 });
    const [only] = plannedPart(given.authorized(1, [move], { sequence: 5 })).operations;
    expect(only).toMatchObject({ action: 'move', path: 'new', from: 'old', paths: 2 });
  });

  it('that several intents fill is open until it is committed, and told of there', () => {
    const open = fold.opened(undefined, given.opened(1, { sequence: 1 }));
    expect(open).toMatchObject({ opening: 'open', sequence: null, reason: 'large change' });
    const one = fold.planned(open, given.authorized(1, ops, { sequence: 2 }, { open: true, part: 1 }));
    const two = fold.applied(one, given.applied(1, ops, { sequence: 3 }));
    const three = fold.planned(two, given.authorized(1, ops, { sequence: 4 }, { open: true, part: 2 }));
    expect(three).toMatchObject({ opening: 'open', status: 'applied', tool: 'write_file', pathCount: 1 });
    const four = fold.applied(three, given.applied(1, ops, { sequence: 5 }, { part: 2 }));
    expect(four).toMatchObject({ sequence: 5, operationCount: 2, pathCount: 2, liveCount: 2, rule: 'allow src' });
    const event = given.committed(1, { sequence: 6 });
    const done = fold.committed(four, event);
    expect(done).toMatchObject({ opening: 'committed', sequence: 6, time: event.time });
    expect(fold.aborted(done, given.aborted(1, 9, { sequence: 7 }))).toBe(done);
    expect(fold.opened(done, given.opened(1, { sequence: 8 }))).toBe(done);
  });

  it('that is aborted is told of at the place of its abort, and names the rollback that takes it back', () => {
    const event = given.aborted(1, 9, { sequence: 7 });
    const open = fold.applied(
      fold.opened(undefined, given.opened(1, { sequence: 1 })),
      given.applied(1, ops, { sequence: 2 }),
    );
    expect(fold.aborted(open, event)).toMatchObject({ opening: 'aborted', sequence: 7, status: 'applied' });
    expect(fold.abortPlanned(undefined, event)).toMatchObject({
      logicalOperationId: id('lop', 9),
      kind: 'rollback',
      rollbackId: id('rbk', 9),
      status: 'authorized',
    });
  });

  it('of which nothing was applied has no place when it is committed', () => {
    const open = fold.opened(undefined, given.opened(1, { sequence: 1 }));
    expect(fold.committed(open, given.committed(1, { sequence: 2 }))).toMatchObject({ sequence: null });
    expect(fold.committed(planned, given.committed(1, { sequence: 2 }))).toBe(planned);
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
