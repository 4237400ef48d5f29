import { describe, expect, it } from '@jest/globals';
import { absent, directory, file, HistoryBuilder, moved, pathOf } from './testing/history-builder.js';
import { bySession, planOf, reasons, ways } from './testing/planning.js';

describe('of a folder that was moved as a whole', () => {
  const past = new HistoryBuilder();
  const lop = past.applied(
    'ann',
    { path: 'b', before: absent, after: directory, moved_from: 'a' },
    { path: 'b/s', before: absent, after: directory, moved_from: 'a/s' },
    ...moved('a/f', 'b/f', file('F')),
    ...moved('a/s/g', 'b/s/g', file('G')),
    { path: 'a/s', before: directory, after: absent, moved_to: 'b/s' },
    { path: 'a', before: directory, after: absent, moved_to: 'b' },
  );
  const present = {
    a: absent,
    'a/f': absent,
    'a/s': absent,
    'a/s/g': absent,
    b: directory,
    'b/f': file('F'),
    'b/s': directory,
    'b/s/g': file('G'),
  };
  const ends = (body: ReturnType<typeof planOf>) => Object.fromEntries(ways(body).map(([path, , to]) => [path, to]));
  const allButTop = {
    a: directory,
    'a/f': file('F'),
    'a/s': directory,
    'a/s/g': file('G'),
    'b/f': absent,
    'b/s': absent,
    'b/s/g': absent,
  };

  it('what is below goes back to where it was, with its folders', () => {
    for (const glob of ['b/**', 'a/**']) {
      const body = planOf(past, present, { by: 'glob', glob });
      expect(reasons(body)).toEqual([]);
      expect(ends(body)).toMatchObject(allButTop);
      expect(body).toMatchObject({ undoes: [lop], owners: ['ann'] });
    }
    const below = planOf(past, present, { by: 'path', path: pathOf('b'), below: true });
    expect(reasons(below)).toEqual([]);
    expect(ends(below)).toEqual({ ...allButTop, b: absent });
  });

  it('one file goes back alone, into folders that are made again', () => {
    const body = planOf(past, present, { by: 'path', path: pathOf('b/s/g') });
    expect(reasons(body)).toEqual([]);
    expect(ends(body)).toEqual({ a: directory, 'a/s': directory, 'a/s/g': file('G'), 'b/s/g': absent });
  });

  it('nothing is made again that stands already, or is spared', () => {
    const again = { ...present, a: directory };
    const body = planOf(past, again, { by: 'path', path: pathOf('b/f') });
    expect(reasons(body)).toEqual([]);
    expect(ends(body)).toEqual({ 'a/f': file('F'), 'b/f': absent });
    const spared = planOf(past, present, bySession('ann'), { except: [{ by: 'path', path: pathOf('a') }] });
    expect(spared.steps).toEqual([]);
    expect(reasons(spared)).toMatchObject([{ path: 'a', why: 'dependent' }]);
  });
});

describe('of a folder that was removed as a whole', () => {
  it('one file comes back with its folder', () => {
    const past = new HistoryBuilder();
    past.applied(
      'ann',
      { path: 'd/x', before: file('X'), after: absent },
      { path: 'd/y', before: file('Y'), after: absent },
      { path: 'd', before: directory, after: absent },
    );
    const body = planOf(past, { d: absent, 'd/x': absent, 'd/y': absent }, { by: 'path', path: pathOf('d/x') });
    expect(ways(body)).toEqual([
      ['d', absent, directory],
      ['d/x', absent, file('X')],
    ]);
  });
});
