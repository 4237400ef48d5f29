import { describe, expect, it } from '@jest/globals';
import { absent, directory, file, HistoryBuilder, opId } from './testing/history-builder.js';
import { bySession, planOf, reasons, ways } from './testing/planning.js';

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
