import { describe, expect, it } from '@jest/globals';
import { describePathState, type PathState } from '@retrace/contracts';
import type { PlanBody } from './plan-hash.js';
import { absent, file, HistoryBuilder, lopId, opId, stepOf } from './testing/history-builder.js';
import { byLop, bySession, planFor, planned, planOf, requestFor, reasons, ways } from './testing/planning.js';

describe('two sessions on shared files (handed case 22)', () => {
  const past = new HistoryBuilder();
  const a = past.applied('writer', { path: 'a', before: file('0'), after: file('A') });
  const ac = past.applied('writer', { path: 'c', before: file('0'), after: file('A') });
  const b = past.applied('editor', { path: 'b', before: file('0'), after: file('B') });
  const bc = past.applied('editor', { path: 'c', before: file('A'), after: file('B') });
  const present = { a: file('A'), b: file('B'), c: file('B') };

  it('undoes the later session and keeps the earlier one, which can then be undone too', () => {
    const first = planOf(past, present, bySession('editor'));
    expect(first).toMatchObject({ undoes: [bc, b], owners: ['editor'], left_out: [] });
    expect(ways(first)).toEqual([
      ['b', file('B'), file('0')],
      ['c', file('B'), file('A')],
    ]);
    const after = [...past.operations, ...rolledBack(first)];
    const rest = planFor(
      after,
      new Map(Object.entries({ a: file('A'), b: file('0'), c: file('A') })),
      requestFor(after, bySession('writer')),
    );
    expect(ways(planned(rest))).toEqual([
      ['a', file('A'), file('0')],
      ['c', file('A'), file('0')],
    ]);
  });

  it('undoes of the earlier session what nobody built on, and reports the rest', () => {
    const body = planOf(past, present, bySession('writer'));
    expect(body.undoes).toEqual([a]);
    expect(ways(body)).toEqual([['a', file('A'), file('0')]]);
    expect(body.left_out).toEqual([
      {
        logical_operation_id: ac,
        path: 'c',
        only_path: false,
        why: 'dependent',
        message: expect.stringContaining(`editor in ${bc}`),
        expected: file('A'),
        found: file('B'),
        later: { logical_operation_id: bc, agent: 'editor' },
      },
    ]);
  });

  it('leaves a logical operation out whole when one of its paths cannot go back', () => {
    const both = new HistoryBuilder();
    const lop = both.applied(
      'writer',
      { path: 'a', before: file('0'), after: file('A') },
      { path: 'c', before: file('0'), after: file('A') },
    );
    const later = both.applied('editor', { path: 'c', before: file('A'), after: file('B') });
    const body = planOf(both, { a: file('A'), c: file('B') }, bySession('writer'));
    expect(body).toMatchObject({ undoes: [], owners: [], steps: [] });
    expect(reasons(body)).toEqual([{ logical_operation_id: lop, path: 'c', why: 'dependent', later }]);
  });

  const rolledBack = (body: PlanBody) => {
    const more = new HistoryBuilder();
    for (let i = 0; i < 4; i++) more.applied('filler', { path: 'z', before: absent, after: absent });
    more.rolledBack('_op-me', body);
    return more.operations.slice(4);
  };
});

describe('what others left is never touched', () => {
  it('takes an ignore rule back and keeps the file that it protected (handed case 24)', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: '.gitignore', before: file('dist'), after: file('dist local.db') });
    const body = planOf(past, { '.gitignore': file('dist local.db'), 'local.db': file('P') }, bySession('writer'));
    expect(ways(body)).toEqual([['.gitignore', file('dist local.db'), file('dist')]]);
  });

  it('undoes an undo on the recorded paths alone (handed case 26)', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: 'pkg1/a', before: file('0'), after: file('1') });
    const undo = planOf(past, { 'pkg1/a': file('1'), 'pkg2/b': file('0') }, bySession('writer'));
    const rollback = past.rolledBack('writer', undo);
    const redo = planOf(past, { 'pkg1/a': file('0'), 'pkg2/b': file('P') }, byLop(rollback));
    expect(ways(redo)).toEqual([['pkg1/a', file('0'), file('1')]]);
    expect(redo.undoes).toEqual([rollback]);
  });

  it('leaves out what changed outside, naming both hashes, and undoes the rest', () => {
    const past = new HistoryBuilder();
    const kept = past.applied('writer', { path: 'a', before: file('0'), after: file('A') });
    past.applied('writer', { path: 'b', before: absent, after: file('B') });
    const body = planOf(past, { a: file('person'), b: file('B') }, bySession('writer'));
    expect(ways(body)).toEqual([['b', file('B'), absent]]);
    expect(body.left_out).toMatchObject([
      { logical_operation_id: kept, why: 'outside', expected: file('A'), found: file('person'), later: null },
    ]);
    for (const state of [file('A'), file('person')])
      expect(body.left_out[0]?.message).toContain(describePathState(state));
  });

  it('makes older operations depend on a newer one that had to be left out', () => {
    const past = new HistoryBuilder();
    const older = past.applied('writer', { path: 'a', before: absent, after: file('1') });
    const newer = past.applied('writer', { path: 'a', before: file('1'), after: file('2') });
    const body = planOf(past, { a: file('person') }, bySession('writer'));
    expect(reasons(body)).toEqual([
      { logical_operation_id: newer, path: 'a', why: 'outside', later: undefined },
      { logical_operation_id: older, path: 'a', why: 'dependent', later: newer },
    ]);
  });

  it('keeps what somebody did outside between two operations', () => {
    const past = new HistoryBuilder();
    const older = past.applied('writer', { path: 'a', before: file('0'), after: file('1') });
    const newer = past.applied('writer', { path: 'a', before: file('person'), after: file('2') });
    const body = planOf(past, { a: file('2') }, bySession('writer'));
    expect(body.undoes).toEqual([newer]);
    expect(ways(body)).toEqual([['a', file('2'), file('person')]]);
    expect(reasons(body)).toEqual([{ logical_operation_id: older, path: 'a', why: 'outside', later: undefined }]);
  });
});

describe('what can be selected', () => {
  const two = () => {
    const past = new HistoryBuilder();
    const lop = past.applied(
      'writer',
      { path: 'a', before: file('0'), after: file('A') },
      { path: 'b', before: file('0'), after: file('B') },
    );
    return { past, lop };
  };
  const present = { a: file('A'), b: file('B') };

  it('takes back one operation of a logical operation, and later the rest of it', () => {
    const { past, lop } = two();
    const one = planOf(past, present, { by: 'operation', operation_id: opId(1) });
    expect(ways(one)).toEqual([['a', file('A'), file('0')]]);
    past.rolledBack('writer', one);
    expect(ways(planOf(past, { ...present, a: file('0') }, byLop(lop)))).toEqual([['b', file('B'), file('0')]]);
  });

  it('refuses what nobody applied', () => {
    const { past } = two();
    expect(planFor(past.operations, new Map(), requestFor(past.operations, byLop(lopId(99))))).toMatchObject({
      code: 'nothing_selected',
    });
  });

  it('refuses what is taken back already', () => {
    const { past, lop } = two();
    past.rolledBack('writer', planOf(past, present, byLop(lop)));
    const start = new Map(Object.entries({ a: file('0'), b: file('0') }));
    expect(planFor(past.operations, start, requestFor(past.operations, byLop(lop)))).toMatchObject({
      code: 'nothing_to_undo',
    });
  });

  it('does not count rollbacks as work of a session, and says what of it is taken back already', () => {
    const { past, lop } = two();
    const more = past.applied('writer', { path: 'c', before: absent, after: file('C') });
    const rollback = past.rolledBack('writer', planOf(past, { ...present, c: file('C') }, byLop(lop)));
    const body = planOf(past, { a: file('0'), b: file('0'), c: file('C') }, bySession('writer'));
    expect(body.undoes).toEqual([more]);
    expect(reasons(body)).toEqual([{ logical_operation_id: lop, path: 'b', why: 'undone', later: rollback }]);
  });

  it('undoes, redoes and undoes again', () => {
    const { past, lop } = two();
    const undo = past.rolledBack('writer', planOf(past, present, byLop(lop)));
    const redo = past.rolledBack('writer', planOf(past, { a: file('0'), b: file('0') }, byLop(undo)));
    for (const again of [lop, redo])
      expect(ways(planOf(past, present, byLop(again)))).toEqual([
        ['a', file('A'), file('0')],
        ['b', file('B'), file('0')],
      ]);
    expect(
      planFor(past.operations, new Map(Object.entries(present)), requestFor(past.operations, byLop(undo))),
    ).toMatchObject({
      code: 'nothing_to_undo',
    });
  });

  it('does not redo an undo below one that went further back', () => {
    const past = new HistoryBuilder();
    const older = past.applied('writer', { path: 'a', before: file('0'), after: file('1') });
    const newer = past.applied('writer', { path: 'a', before: file('1'), after: file('2') });
    const first = past.rolledBack('writer', planOf(past, { a: file('2') }, byLop(newer)));
    const second = past.rolledBack('writer', planOf(past, { a: file('1') }, byLop(older)));
    const body = planOf(past, { a: file('0') }, byLop(first));
    expect(reasons(body)).toEqual([{ logical_operation_id: first, path: 'a', why: 'dependent', later: second }]);
  });

  it('steps over a later change that is itself taken back', () => {
    const past = new HistoryBuilder();
    const mine = past.applied('writer', { path: 'a', before: file('0'), after: file('A') });
    const other = past.applied('editor', { path: 'a', before: file('A'), after: file('B') });
    past.rolledBack('editor', planOf(past, { a: file('B') }, byLop(other)));
    expect(ways(planOf(past, { a: file('A') }, byLop(mine)))).toEqual([['a', file('A'), file('0')]]);
  });

  it('keeps a path that ends as it is, so that the log shows what was taken back', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: 'a', before: absent, after: file('A') });
    past.applied('writer', { path: 'a', before: file('A'), after: absent });
    const body = planOf(past, { a: absent }, bySession('writer'));
    expect(body.steps).toEqual([stepOf('a', absent, absent, opId(2), opId(1))]);
  });
});

describe('pre-images that are not to be had', () => {
  const past = new HistoryBuilder();
  const first = past.applied('writer', { path: 'a', before: file('0'), after: file('1') });
  const second = past.applied('writer', { path: 'a', before: file('1'), after: file('2') });
  const lost = (state: PathState) => ({ lostBlobs: new Set([state.kind === 'file' ? state.hash : '']) });

  it('leaves out what would need a lost blob, and keeps what is newer', () => {
    const body = planOf(past, { a: file('2') }, bySession('writer'), lost(file('0')));
    expect(body.undoes).toEqual([second]);
    expect(reasons(body)).toEqual([{ logical_operation_id: first, path: 'a', why: 'lossy', later: undefined }]);
  });

  it('does not need what is passed on the way', () => {
    expect(planOf(past, { a: file('2') }, bySession('writer'), lost(file('1')))).toMatchObject({ left_out: [] });
  });

  it('does not need what stands there anyway', () => {
    const back = new HistoryBuilder();
    back.applied('writer', { path: 'a', before: file('0'), after: file('1') });
    back.applied('writer', { path: 'a', before: file('1'), after: file('0') });
    expect(planOf(back, { a: file('0') }, bySession('writer'), lost(file('0')))).toMatchObject({ left_out: [] });
  });

  it('goes on from one to the next until there is one that is kept, however many there are', () => {
    const log = new HistoryBuilder();
    const change = (from: number, undoable: boolean) =>
      log.applied('writer', { path: 'a', before: file(`${from}`), after: file(`${from + 1}`), undoable });
    const count = 4000;
    const large = Array.from({ length: count }, (_, from) => change(from, false));
    const small = [count, count + 1].map((from) => change(from, true));
    const body = planOf(log, { a: file(`${count + 2}`) }, bySession('writer'));
    expect(body.undoes).toEqual(small.toReversed());
    expect(ways(body)).toEqual([['a', file(`${count + 2}`), file(`${count}`)]]);
    expect(reasons(body).map(({ logical_operation_id, why }) => [logical_operation_id, why])).toEqual(
      large.toReversed().map((lop) => [lop, 'lossy']),
    );
  });

  it('believes a record that says it cannot be undone', () => {
    const big = new HistoryBuilder();
    const lop = big.applied('writer', { path: 'a', before: file('big'), after: file('1'), undoable: false });
    expect(reasons(planOf(big, { a: file('1') }, byLop(lop)))).toMatchObject([{ why: 'lossy' }]);
  });
});
