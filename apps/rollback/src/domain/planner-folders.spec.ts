import { describe, expect, it } from '@jest/globals';
import type { PathState } from '@retrace/contracts';
import { absent, directory, file, HistoryBuilder, opId } from './testing/history-builder.js';
import { ModelTree } from './testing/model-tree.js';
import { byLop, bySession, planOf, reasons, ways } from './testing/planning.js';

describe('folders', () => {
  it('keeps a folder in which another agent made something', () => {
    const past = new HistoryBuilder();
    const mine = past.applied('writer', { path: 'd', before: absent, after: directory });
    const other = past.applied('editor', { path: 'd/x', before: absent, after: file('X') });
    const body = planOf(past, { d: directory, 'd/x': file('X') }, bySession('writer'));
    expect(reasons(body)).toEqual([{ logical_operation_id: mine, path: 'd/x', why: 'dependent', later: other }]);
  });

  it('keeps a folder in which something stands that nobody recorded', () => {
    const past = new HistoryBuilder();
    const mine = past.applied('writer', { path: 'd', before: absent, after: directory });
    const body = planOf(past, { d: directory, 'd/x': file('person') }, bySession('writer'));
    expect(reasons(body)).toEqual([{ logical_operation_id: mine, path: 'd/x', why: 'outside', later: undefined }]);
  });

  it('removes what lies in a folder before the folder, and makes folders before what lies in them', () => {
    const past = new HistoryBuilder();
    past.applied(
      'writer',
      { path: 'old/x', before: file('X'), after: absent },
      { path: 'old', before: directory, after: absent },
    );
    past.applied(
      'writer',
      { path: 'new', before: absent, after: directory },
      { path: 'new/y', before: absent, after: file('Y') },
    );
    const body = planOf(
      past,
      { old: absent, 'old/x': absent, new: directory, 'new/y': file('Y') },
      bySession('writer'),
    );
    expect(body.steps.map(({ path }) => path)).toEqual(['new/y', 'new', 'old', 'old/x']);
  });

  it('does not bring a file back into a folder that another agent removed', () => {
    const past = new HistoryBuilder();
    const mine = past.applied('writer', { path: 'd/x', before: file('X'), after: absent });
    const other = past.applied('editor', { path: 'd', before: directory, after: absent });
    const body = planOf(past, { d: absent, 'd/x': absent }, bySession('writer'));
    expect(reasons(body)).toEqual([{ logical_operation_id: mine, path: 'd', why: 'dependent', later: other }]);
  });

  it('does not bring a file back into a folder that is gone without a record', () => {
    const past = new HistoryBuilder();
    const mine = past.applied('writer', { path: 'd/x', before: file('X'), after: absent });
    const body = planOf(past, { d: absent, 'd/x': absent }, bySession('writer'));
    expect(reasons(body)).toEqual([{ logical_operation_id: mine, path: 'd/x', why: 'outside', later: undefined }]);
    expect(body.left_out[0]?.message).toContain('its folder d ');
  });

  it('goes from a folder to a file in two steps, with nothing in between', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: 'd', before: file('F'), after: absent });
    past.applied('writer', { path: 'd', before: absent, after: directory });
    past.applied('writer', { path: 'd/x', before: absent, after: file('X') });
    const body = planOf(past, { d: directory, 'd/x': file('X') }, bySession('writer'));
    expect(ways(body)).toEqual([
      ['d/x', file('X'), absent],
      ['d', directory, absent],
      ['d', absent, file('F')],
    ]);
    expect(body.steps.map(({ compensates }) => compensates)).toEqual([[opId(3)], [opId(2)], [opId(1)]]);
  });
});

describe('folders and what stands in the way', () => {
  it('forgets what it tried of a logical operation that stays', () => {
    const past = new HistoryBuilder();
    const folder = past.applied('writer', { path: 'd', before: absent, after: directory });
    const stays = past.applied(
      'writer',
      { path: 'a', before: file('0'), after: file('A') },
      { path: 'd/x', before: absent, after: file('X') },
    );
    const body = planOf(past, { a: file('person'), d: directory, 'd/x': file('X') }, bySession('writer'));
    expect(reasons(body)).toEqual([
      { logical_operation_id: stays, path: 'a', why: 'outside', later: undefined },
      { logical_operation_id: folder, path: 'd/x', why: 'dependent', later: stays },
    ]);
  });

  it('does not blame who removed a folder before it was made again', () => {
    const past = new HistoryBuilder();
    past.applied('editor', { path: 'd', before: directory, after: absent });
    past.applied('editor', { path: 'd', before: absent, after: directory });
    past.applied('writer', { path: 'd/x', before: file('X'), after: absent });
    const body = planOf(past, { d: absent, 'd/x': absent }, bySession('writer'));
    expect(body.left_out).toMatchObject([{ path: 'd/x', why: 'outside', later: null }]);
  });

  it('does not blame who deleted what stands there again', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: 'd', before: absent, after: directory });
    past.applied('editor', { path: 'd/x', before: absent, after: file('X') });
    past.applied('editor', { path: 'd/x', before: file('X'), after: absent });
    const body = planOf(past, { d: directory, 'd/x': file('person') }, bySession('writer'));
    expect(body.left_out).toMatchObject([{ path: 'd/x', why: 'outside', later: null }]);
  });
});

describe('what nobody recorded in a folder that an agent made', () => {
  const person = file('person');
  /** Nobody looks at a path under care of nobody: it shows in the listing of its folder alone. */
  const looked = (tree: Record<string, PathState>, ...unrecorded: string[]) => {
    const all = new ModelTree(Object.entries(tree));
    for (const path of unrecorded) all.entries.set(path, person);
    return { listings: all.listings(Object.keys(tree)) };
  };

  it('keeps the folder, and lets the rest be taken back, also what lies in it', () => {
    const past = new HistoryBuilder();
    const first = past.applied('writer', { path: 'f1', before: absent, after: file('1') });
    const folder = past.applied('writer', { path: 'pd', before: absent, after: directory });
    const inside = past.applied('writer', { path: 'pd/f3', before: absent, after: file('3') });
    const tree = { f1: file('1'), pd: directory, 'pd/f3': file('3') };
    const body = planOf(past, tree, bySession('writer'), looked(tree, 'pd/human', 'pd/\uFFFD'));
    expect(body.undoes).toEqual([inside, first]);
    expect(body.steps.map(({ path }) => path)).toEqual(['pd/f3', 'f1']);
    expect(body.left_out).toEqual([
      {
        logical_operation_id: folder,
        path: 'pd',
        only_path: false,
        why: 'outside',
        message: 'pd: changed outside, not safe to undo: the folder holds "human", "\uFFFD", which nobody recorded',
        expected: directory,
        found: directory,
        later: null,
      },
    ]);
  });

  it('keeps what was made together with the folder, and all folders above', () => {
    const past = new HistoryBuilder();
    const above = past.applied('writer', { path: 'p', before: absent, after: directory });
    const both = past.applied(
      'writer',
      { path: 'p/q', before: absent, after: directory },
      { path: 'p/q/x', before: absent, after: file('X') },
    );
    const tree = { p: directory, 'p/q': directory, 'p/q/x': file('X') };
    const body = planOf(past, tree, bySession('writer'), looked(tree, 'p/q/human'));
    expect(body.steps).toEqual([]);
    expect(reasons(body)).toEqual([
      { logical_operation_id: both, path: 'p/q', why: 'outside', later: undefined },
      { logical_operation_id: above, path: 'p/q', why: 'dependent', later: both },
    ]);
  });

  it('does not hide who made something there later', () => {
    const past = new HistoryBuilder();
    const mine = past.applied('writer', { path: 'd', before: absent, after: directory });
    const other = past.applied('editor', { path: 'd/x', before: absent, after: file('X') });
    const tree = { d: directory, 'd/x': file('X') };
    const body = planOf(past, tree, bySession('writer'), looked(tree, 'd/human'));
    expect(reasons(body)).toEqual([{ logical_operation_id: mine, path: 'd/x', why: 'dependent', later: other }]);
  });

  it('is also what stands again where something was recorded as gone', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: 'd', before: absent, after: directory });
    past.applied('editor', { path: 'd/x', before: absent, after: file('X') });
    past.applied('editor', { path: 'd/x', before: file('X'), after: absent });
    const tree = { d: directory };
    const body = planOf(past, tree, bySession('writer'), looked(tree, 'd/x'));
    expect(body.left_out).toMatchObject([{ path: 'd', why: 'outside', later: null }]);
  });

  it('keeps a folder that an undo brought back from the undo of that undo', () => {
    const past = new HistoryBuilder();
    const removed = past.applied('writer', { path: 'd', before: directory, after: absent });
    const undo = past.rolledBack('writer', planOf(past, { d: absent }, byLop(removed)));
    const tree = { d: directory };
    expect(planOf(past, tree, byLop(undo), looked(tree)).undoes).toEqual([undo]);
    const body = planOf(past, tree, byLop(undo), looked(tree, 'd/human'));
    expect(reasons(body)).toEqual([{ logical_operation_id: undo, path: 'd', why: 'outside', later: undefined }]);
  });

  it('is no obstacle where the folder stood before all that is taken back', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: 'd', before: directory, after: absent });
    past.applied('writer', { path: 'd', before: absent, after: directory });
    const tree = { d: directory };
    const body = planOf(past, tree, bySession('writer'), looked(tree, 'd/human'));
    expect(body.left_out).toEqual([]);
    expect(ways(body)).toEqual([['d', directory, directory]]);
  });

  it('keeps only who made the folder first, where it was removed and made again', () => {
    const past = new HistoryBuilder();
    const first = past.applied('writer', { path: 'd', before: absent, after: directory });
    const removed = past.applied('writer', { path: 'd', before: directory, after: absent });
    const again = past.applied('writer', { path: 'd', before: absent, after: directory });
    const tree = { d: directory };
    const body = planOf(past, tree, bySession('writer'), looked(tree, 'd/human'));
    expect(body.undoes).toEqual([again, removed]);
    expect(reasons(body)).toEqual([{ logical_operation_id: first, path: 'd', why: 'outside', later: undefined }]);
  });

  it('is named in part where it is much', () => {
    const past = new HistoryBuilder();
    past.applied('writer', { path: 'd', before: absent, after: directory });
    const names = ['1', '2', '3', '4', '5', '6', '7'];
    const messageOf = (more: boolean) =>
      planOf(past, { d: directory }, bySession('writer'), { listings: new Map([['d', { names, more }]]) }).left_out[0]
        ?.message;
    expect(messageOf(false)).toContain('"4", "5" and 2 more, which');
    expect(messageOf(true)).toContain('"5" and at least 2 more, which');
  });
});
