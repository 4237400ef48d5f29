import { describe, expect, it } from '@jest/globals';
import { MAX_STEPS_PER_REQUEST } from '@retrace/contracts';
import { absent, directory, file, HistoryBuilder, moved, opId, stepOf } from './testing/history-builder.js';
import { byLop, bySession, planFor, planOf, reasons, requestFor, ways } from './testing/planning.js';

describe('undo of a move', () => {
  it('moves the same object back, taken first, without its content', () => {
    const past = new HistoryBuilder();
    past.applied('ann', ...moved('a', 'b', file('A')));
    const kept = file('A');
    const body = planOf(past, { a: absent, b: file('A') }, bySession('ann'), {
      lostBlobs: new Set([kept.kind === 'file' ? kept.hash : '']),
    });
    expect(body.steps).toEqual([
      { ...stepOf('b', file('A'), absent, opId(1)), moves_to: 'a' },
      { ...stepOf('a', absent, file('A'), opId(2)), moves_from: 'b' },
    ]);
    expect(body.left_out).toEqual([]);
  });

  it('brings back what was moved over, after the object has left', () => {
    const past = new HistoryBuilder();
    past.applied('ann', ...moved('a', 'b', file('A'), file('B')));
    const { steps } = planOf(past, { a: absent, b: file('A') }, bySession('ann'));
    expect(steps).toEqual([
      { ...stepOf('b', file('A'), absent, opId(1)), moves_to: 'a' },
      { ...stepOf('a', absent, file('A'), opId(2)), moves_from: 'b' },
      stepOf('b', absent, file('B'), opId(1)),
    ]);
  });

  it('lets two objects that changed places go back at once', () => {
    const past = new HistoryBuilder();
    past.applied('ann', ...moved('a', 't', file('A')), ...moved('b', 'a', file('B')), ...moved('t', 'b', file('A')));
    const { steps } = planOf(past, { a: file('B'), b: file('A'), t: absent }, bySession('ann'));
    const lanes = steps.map(({ path, moves_from, moves_to }) => [path, moves_to ?? '', moves_from ?? '']);
    expect(lanes.filter(([, to]) => to)).toEqual([
      ['a', 'b', ''],
      ['b', 'a', ''],
    ]);
    expect(lanes.filter(([, , from]) => from)).toEqual([
      ['a', '', 'b'],
      ['b', '', 'a'],
    ]);
  });

  it('needs a content where more objects change places in a circle than a request holds, and says so', () => {
    const count = MAX_STEPS_PER_REQUEST;
    const contents = Array.from({ length: count }, (_, at) => file(`F${at}`));
    const past = new HistoryBuilder();
    past.applied(
      'ann',
      ...moved('f0', 't', contents[0]!),
      ...contents.slice(1).flatMap((content, at) => moved(`f${at + 1}`, `f${at}`, content)),
      ...moved('t', `f${count - 1}`, contents[0]!),
    );
    const present = Object.fromEntries(contents.map((_, at) => [`f${at}`, contents[(at + 1) % count]!]));
    const whole = planOf(past, present, bySession('ann'));
    expect(whole.left_out).toEqual([]);
    expect(whole.steps.filter(({ moves_from }) => moves_from !== undefined).length).toBeLessThan(count);
    const hashes = contents.flatMap((content) => (content.kind === 'file' ? [content.hash] : []));
    const { steps, left_out } = planOf(past, present, bySession('ann'), { lostBlobs: new Set(hashes) });
    expect([steps, left_out]).toMatchObject([[], [{ why: 'lossy', message: expect.stringContaining('in a circle') }]]);
  });

  it('is left out where the object was moved on, or where something took its old place', () => {
    const past = new HistoryBuilder();
    const first = past.applied('ann', ...moved('a', 'b', file('A')));
    const second = past.applied('bob', ...moved('b', 'c', file('A')));
    const present = { a: absent, b: absent, c: file('A') };
    expect(reasons(planOf(past, present, byLop(first)))).toEqual([
      { logical_operation_id: first, path: 'b', why: 'dependent', later: second },
    ]);
    const occupied = new HistoryBuilder();
    const move = occupied.applied('ann', ...moved('a', 'b', file('A')));
    const newer = occupied.applied('bob', { path: 'a', before: absent, after: file('N') });
    expect(reasons(planOf(occupied, { a: file('N'), b: file('A') }, byLop(move)))).toEqual([
      { logical_operation_id: move, path: 'a', why: 'dependent', later: newer },
    ]);
    const alone = new HistoryBuilder();
    alone.applied('ann', ...moved('a', 'b', file('A')));
    const outside = planOf(alone, { a: file('P'), b: file('A') }, bySession('ann'));
    expect(reasons(outside)).toMatchObject([{ path: 'a', why: 'outside' }]);
  });

  it('takes what was done to the object since along, where merging is asked for', () => {
    const past = new HistoryBuilder();
    past.applied('ann', ...moved('a', 'b', file('A')));
    const edit = past.applied('bob', { path: 'b', before: file('A'), after: file('AB') });
    const present = { a: absent, b: file('AB') };
    expect(reasons(planOf(past, present, bySession('ann')))).toMatchObject([{ why: 'dependent', later: edit }]);
    const { steps, left_out } = planOf(past, present, bySession('ann'), { options: { merge: true } });
    expect(left_out).toEqual([]);
    expect(steps).toEqual([
      { ...stepOf('b', file('AB'), absent, opId(1)), moves_to: 'a' },
      {
        ...stepOf('a', absent, file('AB'), opId(2)),
        moves_from: 'b',
        how: 'merge',
        keeps: [{ logical_operation_id: edit, agent: 'bob' }],
      },
    ]);
  });
});

describe('undo of a move and of what was done before it', () => {
  const lines = (...all: string[]) => file(all.map((line) => `${line}\n`).join(''));
  const own = lines('1', 'ann', '3', '4');
  const history = (later: ReturnType<typeof lines>) => {
    const past = new HistoryBuilder();
    past.applied('ann', { path: 'a', before: lines('1', '2', '3', '4'), after: own });
    past.applied('ann', ...moved('a', 'b', own));
    const edit = past.applied('bob', { path: 'b', before: own, after: later });
    return { past, edit };
  };
  const merge = { options: { merge: true } };

  it('keeps at the old name what others did at the new one', () => {
    const both = lines('1', 'ann', '3', '4', 'bob');
    const { past, edit } = history(both);
    const body = planOf(past, { a: absent, b: both }, bySession('ann'), merge);
    expect(ways(body)).toEqual([
      ['b', both, absent],
      ['a', absent, lines('1', '2', '3', '4', 'bob')],
    ]);
    expect(body.steps[1]).toMatchObject({ how: 'merge', keeps: [{ logical_operation_id: edit, agent: 'bob' }] });
    expect(body.left_out).toEqual([]);
  });

  it('says whose change is in the way where it cannot be merged, and moves back all the same', () => {
    const over = lines('1', 'bob', '3', '4');
    const { past, edit } = history(over);
    const body = planOf(past, { a: absent, b: over }, bySession('ann'), merge);
    expect(reasons(body)).toMatchObject([{ path: 'a', why: 'dependent', later: edit }]);
    expect(ways(body)).toEqual([
      ['b', over, absent],
      ['a', absent, over],
    ]);
    expect(body.steps[1]).toMatchObject({ moves_from: 'b', how: 'merge' });
  });
});

describe('undo of what was moved later', () => {
  const past = new HistoryBuilder();
  past.applied('ann', { path: 'd/a', before: file('0'), after: file('A') });
  const move = past.applied('bob', ...moved('d/a', 'e/b', file('A')));
  const present = { d: directory, e: directory, 'd/a': absent, 'e/b': file('A') };
  const keeps = [{ logical_operation_id: move, agent: 'bob' }];

  it('changes it at its present name; the move is independent and stays', () => {
    const body = planOf(past, present, bySession('ann'));
    expect(body.steps).toEqual([{ ...stepOf('e/b', file('A'), file('0'), opId(1)), keeps }]);
    expect(body).toMatchObject({ owners: ['ann'], left_out: [] });
  });

  it('sees what was done to it at its present name', () => {
    expect(reasons(planOf(past, { ...present, 'e/b': file('P') }, bySession('ann')))).toMatchObject([
      { path: 'e/b', why: 'outside' },
    ]);
    const more = new HistoryBuilder();
    more.applied('ann', { path: 'a', before: file('0'), after: file('A') });
    more.applied('bob', ...moved('a', 'b', file('A')));
    const edit = more.applied('cid', { path: 'b', before: file('A'), after: file('C') });
    expect(reasons(planOf(more, { a: absent, b: file('C') }, bySession('ann')))).toMatchObject([
      { path: 'b', why: 'dependent', later: edit },
    ]);
  });

  it('removes nothing that somebody else gave another name', () => {
    const created = new HistoryBuilder();
    created.applied(
      'ann',
      { path: 'd', before: absent, after: directory },
      { path: 'd/x', before: absent, after: file('X') },
    );
    const later = created.applied(
      'bob',
      { path: 'e', before: absent, after: directory, moved_from: 'd' },
      ...moved('d/x', 'e/x', file('X')),
      { path: 'd', before: directory, after: absent, moved_to: 'e' },
    );
    const body = planOf(created, { d: absent, 'd/x': absent, e: directory, 'e/x': file('X') }, bySession('ann'));
    expect(body.steps).toEqual([]);
    expect(reasons(body)).toMatchObject([{ why: 'dependent', later }]);
  });

  it('can be undone, and the move after it', () => {
    const all = new HistoryBuilder();
    all.applied('ann', { path: 'a', before: file('0'), after: file('A') });
    const lop = all.applied('bob', ...moved('a', 'b', file('A')));
    const undo = all.rolledBack('_op-me', planOf(all, { a: absent, b: file('A') }, bySession('ann')));
    const redone = planOf(all, { a: absent, b: file('0') }, byLop(undo));
    expect(ways(redone)).toEqual([['b', file('0'), file('A')]]);
    all.rolledBack('_op-me', redone);
    const back = planOf(all, { a: absent, b: file('A') }, byLop(lop));
    expect(back.steps.map(({ path, moves_from }) => [path, moves_from])).toEqual([
      ['b', undefined],
      ['a', 'b'],
    ]);
  });
});

describe('undo of a folder’s move', () => {
  const folderMove = (past: HistoryBuilder) =>
    past.applied(
      'ann',
      { path: 'e', before: absent, after: directory, moved_from: 'd' },
      ...moved('d/x', 'e/x', file('X')),
      { path: 'd', before: directory, after: absent, moved_to: 'e' },
    );

  it('makes the old folder, moves what lay in it, removes the new one', () => {
    const past = new HistoryBuilder();
    folderMove(past);
    const { steps } = planOf(past, { e: directory, 'e/x': file('X'), d: absent, 'd/x': absent }, bySession('ann'));
    expect(steps.map(({ path, restore, moves_from }) => [path, restore.kind, moves_from])).toEqual([
      ['d', 'directory', undefined],
      ['e/x', 'absent', undefined],
      ['d/x', 'file', 'e/x'],
      ['e', 'absent', undefined],
    ]);
  });

  it('is left out where others put something into the new folder', () => {
    const past = new HistoryBuilder();
    const lop = folderMove(past);
    const added = past.applied('bob', { path: 'e/new', before: absent, after: file('N') });
    const present = { e: directory, 'e/x': file('X'), 'e/new': file('N'), d: absent, 'd/x': absent };
    expect(reasons(planOf(past, present, byLop(lop)))).toEqual([
      { logical_operation_id: lop, path: 'e/new', why: 'dependent', later: added },
    ]);
    const unrecorded = new HistoryBuilder();
    folderMove(unrecorded);
    const listings = new Map([['e', { names: ['x', 'human'], more: false }]]);
    const body = planOf(unrecorded, { e: directory, 'e/x': file('X') }, bySession('ann'), { listings });
    expect(reasons(body)).toMatchObject([{ path: 'e', why: 'outside' }]);
  });

  it('goes without the folder where only single paths were asked to be skipped', () => {
    const past = new HistoryBuilder();
    const lop = folderMove(past);
    past.applied('bob', { path: 'e/new', before: absent, after: file('N') });
    const present = { e: directory, 'e/x': file('X'), 'e/new': file('N'), d: absent, 'd/x': absent };
    const body = planOf(past, present, byLop(lop), { options: { skip: true } });
    expect(body.left_out).toMatchObject([{ path: 'e/new', only_path: true, why: 'dependent' }]);
    expect(body.undoes).toEqual([lop]);
    expect(body.steps.map(({ path }) => path)).toEqual(['d', 'e/x', 'd/x']);
  });
});

describe('selecting one end of a move', () => {
  it('takes the other one along', () => {
    const past = new HistoryBuilder();
    past.applied('ann', ...moved('a', 'b', file('A')), { path: 'c', before: absent, after: file('C') });
    const present = new Map(Object.entries({ a: absent, b: file('A'), c: file('C') }));
    for (const path of ['a', 'b'] as const) {
      const request = requestFor(past.operations, { by: 'glob', glob: path });
      expect(planFor(past.operations, present, request)).toMatchObject({
        plan: {
          steps: [
            { path: 'b', moves_to: 'a' },
            { path: 'a', moves_from: 'b' },
          ],
        },
      });
    }
  });
});
