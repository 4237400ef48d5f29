import { describe, expect, it } from '@jest/globals';
import { foldersToEmpty, pathsToLookAt, surroundingsOf } from './surroundings.js';
import { absent, directory, file, HistoryBuilder } from './testing/history-builder.js';

describe('what a plan must look at', () => {
  const past = new HistoryBuilder();
  past.applied(
    'ann',
    { path: 'd/e', before: absent, after: directory },
    { path: 'd/e/f', before: absent, after: directory },
    { path: 'g/h/x', before: file('0'), after: absent },
  );
  const around = surroundingsOf(past.operations);

  it('is every selected path and the folders above', () =>
    expect(around.exact.toSorted()).toEqual(['d', 'd/e', 'd/e/f', 'g', 'g/h', 'g/h/x']));

  it('is what lies below folders that may go, each read once', () => expect(around.folders).toEqual(['d/e']));

  it('is what lies in each folder that may go', () =>
    expect(foldersToEmpty(past.operations)).toEqual(['d/e', 'd/e/f']));

  it('is below folders only what was last recorded as standing', () => {
    past.applied('bob', { path: 'd/e/kept', before: absent, after: file('K') });
    past.applied('bob', { path: 'd/e/gone', before: file('G'), after: absent });
    expect(pathsToLookAt(around, past.operations)).toEqual([...around.exact, 'd/e/kept']);
  });
});
