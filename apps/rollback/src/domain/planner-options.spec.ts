import { describe, expect, it } from '@jest/globals';
import type { PathState } from '@retrace/contracts';
import { absent, directory, file, HistoryBuilder, lopId, moved, opId, stepOf } from './testing/history-builder.js';
import { byLop, bySession, planFor, planned, planOf, reasons, requestFor, ways } from './testing/planning.js';

const merge = { options: { merge: true } };
const force = { options: { force: true } };
const skip = { options: { skip: true } };
const lines = (...all: string[]): PathState => file(all.map((line) => `${line}\n`).join(''));

describe('merge', () => {
  const start = lines('1', '2', '3', '4');
  const edited = lines('1', 'ann', '3', '4');
  const both = lines('1', 'ann', '3', '4', 'bob');
  const past = new HistoryBuilder();
  past.applied('ann', { path: 'a', before: start, after: edited });
  const later = past.applied('bob', { path: 'a', before: edited, after: both });

  it('keeps what was changed later elsewhere in the text', () => {
    const { steps, left_out, owners } = planOf(past, { a: both }, bySession('ann'), merge);
    expect(steps).toEqual([
      {
        ...stepOf('a', both, lines('1', '2', '3', '4', 'bob'), opId(1)),
        how: 'merge',
        keeps: [{ logical_operation_id: later, agent: 'bob' }],
      },
    ]);
    expect([left_out, owners]).toEqual([[], ['ann']]);
  });

  it('keeps what nobody recorded, too', () => {
    const alone = new HistoryBuilder();
    alone.applied('ann', { path: 'a', before: start, after: edited });
    const person = lines('person', '1', 'ann', '3', '4');
    const body = planOf(alone, { a: person }, bySession('ann'), merge);
    expect(ways(body)).toEqual([['a', person, lines('person', '1', '2', '3', '4')]]);
    expect(body.steps[0]).toMatchObject({ how: 'merge', keeps: [] });
  });

  it('goes step by step over several changes with others in between', () => {
    const chain = new HistoryBuilder();
    const one = lines('one', '2', '3', '4', '5');
    const two = lines('one', '2', '3', '4', '5', 'bob');
    const three = lines('one', '2', 'three', '4', '5', 'bob');
    chain.applied('ann', { path: 'a', before: lines('1', '2', '3', '4', '5'), after: one });
    chain.applied('bob', { path: 'a', before: one, after: two });
    chain.applied('ann', { path: 'a', before: two, after: three });
    const body = planOf(chain, { a: three }, bySession('ann'), merge);
    expect(ways(body)).toEqual([['a', three, lines('1', '2', '3', '4', '5', 'bob')]]);
    expect(body.steps[0]).toMatchObject({ compensates: [opId(3), opId(1)], how: 'merge' });
  });

  it('leaves a conflict out, and says where it is', () => {
    const clash = new HistoryBuilder();
    const lop = clash.applied('ann', { path: 'a', before: start, after: edited });
    const over = lines('1', 'bob', '3', '4');
    const newer = clash.applied('bob', { path: 'a', before: edited, after: over });
    const body = planOf(clash, { a: over }, bySession('ann'), merge);
    expect(reasons(body)).toEqual([{ logical_operation_id: lop, path: 'a', why: 'dependent', later: newer }]);
    expect(body.left_out[0]!.message).toContain('not merged: line 2 was changed again later');
  });

  it('does not make a text of what was removed or is a folder', () => {
    const gone = new HistoryBuilder();
    gone.applied('ann', { path: 'a', before: start, after: edited });
    gone.applied('bob', { path: 'a', before: edited, after: absent });
    expect(reasons(planOf(gone, { a: absent }, bySession('ann'), merge))).toMatchObject([{ why: 'dependent' }]);
    const alone = new HistoryBuilder();
    alone.applied('ann', { path: 'a', before: start, after: edited });
    expect(reasons(planOf(alone, { a: directory }, bySession('ann'), merge))).toMatchObject([{ why: 'outside' }]);
  });

  it('merges the mode for itself', () => {
    const modes = new HistoryBuilder();
    modes.applied('ann', { path: 'a', before: file('A', 0o644), after: file('A', 0o755) });
    const body = planOf(modes, { a: file('P', 0o755) }, bySession('ann'), merge);
    expect(ways(body)).toEqual([['a', file('P', 0o755), file('P', 0o644)]]);
    expect(reasons(planOf(modes, { a: file('P', 0o700) }, bySession('ann'), merge))).toMatchObject([{ path: 'a' }]);
  });

  it('can be undone, and that too', () => {
    const world = new HistoryBuilder();
    world.applied('ann', { path: 'a', before: start, after: edited });
    world.applied('bob', { path: 'a', before: edited, after: both });
    const merged = lines('1', '2', '3', '4', 'bob');
    const undo = world.rolledBack('_op-me', planOf(world, { a: both }, bySession('ann'), merge));
    const redo = planOf(world, { a: merged }, byLop(undo));
    expect(ways(redo)).toEqual([['a', merged, both]]);
    const again = world.rolledBack('_op-me', redo);
    expect(ways(planOf(world, { a: both }, byLop(again)))).toEqual([['a', both, merged]]);
  });
});

describe('a step that was undone around later work', () => {
  const texts = (...changed: string[]) =>
    lines(...['1', '2', '3', '4', '5'].map((n) => (changed.includes(n) ? n + n : n)));
  const past = new HistoryBuilder();
  const lops = [
    past.applied('ann', { path: 'a', before: absent, after: texts() }),
    past.applied(
      'ann',
      { path: 'a', before: texts(), after: texts('2') },
      { path: 'b', before: absent, after: file('S') },
    ),
    past.applied('ann', { path: 'a', before: texts('2'), after: texts('2', '5') }),
  ];
  const body = planOf(past, { a: texts('2', '5'), b: file('S') }, byLop(lops[1]!), merge);
  past.rolledBack('_op-me', body);

  it('goes with the rest when all of it is undone', () => {
    const whole = planOf(past, { a: texts('5') }, bySession('ann'));
    expect(ways(whole)).toEqual([['a', texts('5'), absent]]);
    expect(whole.left_out).toEqual([]);
    expect(whole.owners).toEqual(['ann']);
  });

  it('still stands in the way of what came before it alone', () => {
    expect(reasons(planOf(past, { a: texts('5') }, byLop(lops[0]!)))).toMatchObject([{ path: 'a', why: 'dependent' }]);
  });

  it('is found again behind another one', () => {
    const nested = new HistoryBuilder();
    const undone = (state: PathState, lop: ReturnType<typeof lopId>): void => {
      nested.rolledBack('ann', planOf(nested, { a: state }, byLop(lop), merge));
    };
    const first = nested.applied('ann', { path: 'a', before: texts(), after: texts('1') });
    const second = nested.applied('ann', { path: 'a', before: texts('1'), after: texts('1', '3') });
    undone(texts('1', '3'), first);
    nested.applied('ann', { path: 'a', before: texts('3'), after: texts('3', '5') });
    undone(texts('3', '5'), second);
    const whole = planOf(nested, { a: texts('5') }, bySession('ann'));
    expect(ways(whole)).toEqual([['a', texts('5'), texts()]]);
    expect(whole.left_out).toEqual([]);
  });

  it('goes with the rest also where it was redone around later work', () => {
    const redone = new HistoryBuilder();
    const first = redone.applied('ann', { path: 'a', before: texts(), after: texts('1') });
    const undo = redone.rolledBack('ann', planOf(redone, { a: texts('1') }, byLop(first), merge));
    redone.applied('ann', { path: 'a', before: texts(), after: texts('5') });
    redone.rolledBack('ann', planOf(redone, { a: texts('5') }, byLop(undo), merge));
    const whole = planOf(redone, { a: texts('1', '5') }, bySession('ann'));
    expect(ways(whole)).toEqual([['a', texts('1', '5'), texts()]]);
    expect(whole.left_out).toEqual([]);
    expect(whole.owners).toEqual(['ann']);
  });

  it('goes with the rest also where its object was moved back with later work', () => {
    const world = new HistoryBuilder();
    const move = world.applied('ann', ...moved('a', 'b', texts()));
    world.applied('ann', { path: 'b', before: texts(), after: texts('1') });
    world.rolledBack('ann', planOf(world, { a: absent, b: texts('1') }, byLop(move), merge));
    const whole = planOf(world, { a: texts('1'), b: absent }, bySession('ann'));
    expect(ways(whole)).toEqual([
      ['a', texts('1'), texts()],
      ['b', absent, absent],
    ]);
    expect(whole.left_out).toEqual([]);
  });

  it('goes with the rest also where it removed a folder in which something stood', () => {
    const world = new HistoryBuilder();
    const made = world.applied('ann', { path: 'd', before: absent, after: directory });
    world.applied('ann', { path: 'd/x', before: absent, after: file('X') });
    world.applied('ann', { path: 'd/x', before: file('X'), after: absent });
    world.rolledBack('ann', planOf(world, { d: directory, 'd/x': absent }, byLop(made)));
    const whole = planOf(world, { d: absent, 'd/x': absent }, bySession('ann'));
    expect(whole.left_out).toEqual([]);
    expect(ways(whole)).toEqual([
      ['d', absent, absent],
      ['d/x', absent, absent],
    ]);
  });
});

describe('force', () => {
  const past = new HistoryBuilder();
  past.applied('ann', { path: 'a', before: file('0'), after: file('A') });
  past.applied('bob', { path: 'a', before: file('A'), after: file('B') });

  it('goes over what others left, and makes them owners', () => {
    const body = planOf(past, { a: file('B') }, bySession('ann'), force);
    expect(body.steps).toEqual([{ ...stepOf('a', file('B'), file('0'), opId(1)), how: 'force' }]);
    expect(body.owners).toEqual(['ann', 'bob']);
  });

  it('goes over what nobody recorded, which makes nobody an owner', () => {
    const body = planOf(past, { a: file('P') }, bySession('bob'), force);
    expect(ways(body)).toEqual([['a', file('P'), file('A')]]);
    expect(body.owners).toEqual(['bob']);
  });

  it('comes after merge, where both are asked for', () => {
    const texts = new HistoryBuilder();
    const edit = lines('1', 'ann', '3');
    texts.applied(
      'ann',
      { path: 'a', before: lines('1', '2', '3'), after: edit },
      { path: 'b', before: absent, after: file('A') },
    );
    texts.applied(
      'bob',
      { path: 'a', before: edit, after: lines('1', 'ann', '3', 'bob') },
      { path: 'b', before: file('A'), after: file('B') },
    );
    const present = { a: lines('1', 'ann', '3', 'bob'), b: file('B') };
    const body = planOf(texts, present, bySession('ann'), { options: { merge: true, force: true } });
    expect(body.steps.map(({ path, how }) => [path, how])).toEqual([
      ['b', 'force'],
      ['a', 'merge'],
    ]);
    expect(body.owners).toEqual(['ann', 'bob']);
  });

  it('makes an object anew where the one that was moved was changed', () => {
    const move = new HistoryBuilder();
    move.applied('ann', ...moved('a', 'b', file('A')));
    move.applied('bob', { path: 'b', before: file('A'), after: file('B') });
    const { steps, owners } = planOf(move, { a: absent, b: file('B') }, bySession('ann'), force);
    expect(ways({ steps } as never)).toEqual([
      ['b', file('B'), absent],
      ['a', absent, file('A')],
    ]);
    expect(steps.flatMap(({ moves_from, moves_to }) => [moves_from, moves_to])).toEqual(Array(4).fill(undefined));
    expect(owners).toEqual(['ann', 'bob']);
  });

  it('goes over no object that was moved there: it may hold the work of more than who moved it', () => {
    const move = new HistoryBuilder();
    move.applied('cid', { path: 'f', before: absent, after: file('C') });
    move.applied('ann', { path: 'a', before: absent, after: file('A') });
    const later = move.applied('bob', ...moved('f', 'a', file('C'), file('A')));
    expect(reasons(planOf(move, { a: file('C'), f: absent }, bySession('ann'), force))).toMatchObject([
      { path: 'a', why: 'dependent', later },
    ]);
  });

  it('removes no folder that others use, and replaces no folder', () => {
    const folder = new HistoryBuilder();
    folder.applied('ann', { path: 'd', before: absent, after: directory });
    folder.applied('bob', { path: 'd/x', before: absent, after: file('X') });
    const body = planOf(folder, { d: directory, 'd/x': file('X') }, bySession('ann'), force);
    expect(reasons(body)).toMatchObject([{ path: 'd/x', why: 'dependent' }]);
    expect(reasons(planOf(past, { a: directory }, bySession('bob'), force))).toMatchObject([{ why: 'outside' }]);
  });
});

describe('skip', () => {
  it('leaves out one path and undoes the rest of its logical operation', () => {
    const past = new HistoryBuilder();
    const lop = past.applied(
      'ann',
      { path: 'a', before: file('0'), after: file('A') },
      { path: 'b', before: file('0'), after: file('B') },
      { path: 'a', before: file('A'), after: file('AA') },
    );
    const body = planOf(past, { a: file('person'), b: file('B') }, byLop(lop), skip);
    expect(ways(body)).toEqual([['b', file('B'), file('0')]]);
    expect(body).toMatchObject({ undoes: [lop], left_out: [{ path: 'a', why: 'outside', only_path: true }] });
  });

  it('leaves out both ends of a move, and folders that others stay in', () => {
    const past = new HistoryBuilder();
    const lop = past.applied(
      'ann',
      { path: 'd', before: absent, after: directory },
      { path: 'd/x', before: absent, after: file('X') },
      ...moved('a', 'b', file('A')),
      { path: 'c', before: absent, after: file('C') },
    );
    const present = { d: directory, 'd/x': file('person'), a: file('new'), b: file('A'), c: file('C') };
    const body = planOf(past, present, byLop(lop), skip);
    expect(ways(body)).toEqual([['c', file('C'), absent]]);
    expect(reasons(body).map(({ path, why }) => [path, why])).toEqual([
      ['a', 'outside'],
      ['d/x', 'outside'],
      ['d/x', 'dependent'],
    ]);
  });

  it('leaves the logical operation out whole where nothing of it can go', () => {
    const past = new HistoryBuilder();
    const lop = past.applied('ann', { path: 'a', before: file('0'), after: file('A') });
    const body = planOf(past, { a: file('person') }, byLop(lop), skip);
    expect(body).toMatchObject({ undoes: [], steps: [], left_out: [{ path: 'a', only_path: false }] });
  });
});

describe('all or none', () => {
  const past = new HistoryBuilder();
  const one = past.applied('ann', { path: 'a', before: file('0'), after: file('A') });
  const two = past.applied('ann', { path: 'b', before: file('0'), after: file('B') });

  it('undoes nothing where anything would be left out', () => {
    const body = planOf(past, { a: file('A'), b: file('person') }, bySession('ann'), {
      options: { all_or_none: true },
    });
    expect(body).toMatchObject({ undoes: [], steps: [], owners: [], step_count: 0 });
    expect(reasons(body)).toMatchObject([
      { logical_operation_id: two, why: 'outside' },
      { logical_operation_id: one, path: 'a', why: 'all_or_none' },
    ]);
  });

  it('undoes all where it can', () => {
    const body = planOf(past, { a: file('A'), b: file('B') }, bySession('ann'), { options: { all_or_none: true } });
    expect(body).toMatchObject({ undoes: [two, one], left_out: [] });
  });
});

describe('paths', () => {
  const past = new HistoryBuilder();
  const lop = past.applied(
    'ann',
    { path: 'app/[id]/page.tsx', before: file('L'), after: file('L2') },
    { path: 'app/i/page.tsx', before: file('M'), after: file('M2') },
  );
  const present = { 'app/[id]/page.tsx': file('L2'), 'app/i/page.tsx': file('M2') };
  const only = (selection: Parameters<typeof planOf>[2]) =>
    ways(planOf(past, present, selection)).map(([path]) => path);
  const bracket = past.operations[0]!.path;

  it('are taken literally, and out of their logical operation (handed case 8)', () => {
    expect(only({ by: 'path', path: bracket })).toEqual(['app/[id]/page.tsx']);
    expect(only({ by: 'glob', glob: 'app/\\[id\\]/page.tsx' })).toEqual(['app/[id]/page.tsx']);
    expect(only({ by: 'glob', glob: 'app/[id]/page.tsx' })).toEqual(['app/i/page.tsx']);
  });

  it('are each a unit: what stands in the way of one does not hold up the other', () => {
    const body = planOf(past, { ...present, 'app/i/page.tsx': file('person') }, { by: 'glob', glob: 'app/**' });
    expect(ways(body).map(([path]) => path)).toEqual(['app/[id]/page.tsx']);
    expect(reasons(body)).toMatchObject([{ logical_operation_id: lop, path: 'app/i/page.tsx', why: 'outside' }]);
    expect(body.undoes).toEqual([lop]);
  });

  it('can be spared', () => {
    const body = planOf(past, present, byLop(lop), { except: [{ by: 'path', path: bracket }] });
    expect(ways(body).map(([path]) => path)).toEqual(['app/i/page.tsx']);
    expect(body.except).toEqual([{ by: 'path', path: bracket }]);
  });

  it('are not said to be undone already where other ones are meant', () => {
    const more = new HistoryBuilder();
    more.applied('ann', { path: 'a', before: file('0'), after: file('1') });
    const undo = planOf(more, { a: file('1') }, byLop(lopId(1)));
    more.rolledBack('_op-me', undo);
    more.applied('ann', { path: 'b', before: absent, after: file('B') });
    const request = requestFor(more.operations, { by: 'glob', glob: '*' });
    const body = planned(planFor(more.operations, new Map(Object.entries({ a: file('0'), b: file('B') })), request));
    expect(body).toMatchObject({ left_out: [], steps: [{ path: 'b' }] });
  });
});
