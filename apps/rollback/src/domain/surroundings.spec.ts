import { describe, expect, it } from '@jest/globals';
import { follow, foldersToEmpty, pathsToLookAt, reachOf, surroundingsOf } from './surroundings.js';
import { absent, directory, file, HistoryBuilder, moved } from './testing/history-builder.js';

describe('what a plan must look at', () => {
  const past = new HistoryBuilder();
  past.applied(
    'ann',
    { path: 'd/e', before: absent, after: directory },
    { path: 'd/e/f', before: absent, after: directory },
    { path: 'g/h/x', before: file('0'), after: absent },
  );
  const around = surroundingsOf(reachOf(past.operations));

  it('is every selected path and the folders above', () =>
    expect(around.exact.toSorted()).toEqual(['d', 'd/e', 'd/e/f', 'g', 'g/h', 'g/h/x']));

  it('is what lies below folders that may go, each read once', () => expect(around.folders).toEqual(['d/e']));

  it('is what lies in each folder that may go', () =>
    expect(foldersToEmpty(past.operations, past.operations)).toEqual(['d/e', 'd/e/f']));

  it('is below folders only what was last recorded as standing', () => {
    past.applied('bob', { path: 'd/e/kept', before: absent, after: file('K') });
    past.applied('bob', { path: 'd/e/gone', before: file('G'), after: absent });
    expect(pathsToLookAt(around, past.operations)).toEqual([...around.exact, 'd/e/kept']);
  });

  it('is also every name that what is selected was given later', () => {
    const later = new HistoryBuilder();
    later.applied(
      'ann',
      { path: 'a', before: absent, after: file('A') },
      { path: 'f', before: absent, after: directory },
    );
    const selected = [...later.operations];
    later.applied('bob', ...moved('a', 'b', file('A')), ...moved('x', 'y', file('X')));
    later.applied('cid', ...moved('b', 'n/c', file('A')));
    later.applied(
      'cid',
      { path: 'g', before: absent, after: directory, moved_from: 'f' },
      { path: 'f', before: directory, after: absent, moved_to: 'g' },
    );
    const once = follow(reachOf(selected), later.operations);
    const twice = follow(once, later.operations);
    expect([...once.paths].toSorted()).toEqual(['a', 'b', 'f', 'g']);
    expect([...twice.paths].toSorted()).toEqual(['a', 'b', 'f', 'g', 'n/c']);
    expect(follow(twice, later.operations)).toBe(twice);
    expect(surroundingsOf(twice)).toMatchObject({ folders: ['f', 'g'], exact: expect.arrayContaining(['n']) });
    expect(foldersToEmpty(selected, later.operations)).toEqual(['f', 'g']);
  });
});
