import { ABSENT, type OperationRecord, type PathState, type WorkspacePath } from '@retrace/contracts';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fileState, recordOf } from '../testing/outcome-data.js';
import { KnownStates } from './known-states.js';

const DIRECTORY: PathState = { kind: 'directory', mode: 0o755 };
const LINK: PathState = { kind: 'link', target: 'a.md' };
const [A, B] = [fileState('a'), fileState('b')];
const record = (path: string, before: PathState, after: PathState, typed = path): OperationRecord =>
  recordOf({
    path: { typed, canonical: path as WorkspacePath },
    state_snapshot_before: { state: before, sequence: null },
    state_snapshot_after: { state: after, sequence: 'self' },
  });

describe('KnownStates', () => {
  let known: KnownStates;
  beforeEach(() => {
    known = new KnownStates();
  });

  it('expects what was read, then what a change left', () => {
    known.saw('a.md', 'a.md', A);
    expect(known.expectedOf('a.md', true)).toEqual(A);
    known.learn([record('a.md', A, B)], 5);
    expect(known.expectedOf('a.md', true)).toEqual(B);
  });

  it('learns both ends of a move', () => {
    known.learn([record('b.md', ABSENT, A), record('a.md', A, ABSENT)], 5);
    expect(known.expectedOf('a.md', false)).toEqual(ABSENT);
    expect(known.expectedOf('b.md', false)).toEqual(A);
  });

  it('takes no older event for news', () => {
    known.learn([record('a.md', A, B)], 7);
    known.learn([record('a.md', ABSENT, A)], 6);
    expect(known.expectedOf('a.md', true)).toEqual(B);
  });

  it('follows a change through each name that leads there', () => {
    known.saw('link', 'a.md', A);
    known.learn([record('a.md', A, B)], 5);
    expect(known.expectedOf('link', true)).toEqual(B);
    expect(known.expectedOf('a.md', true)).toEqual(B);
  });

  it('expects of a link itself only what was seen of the link', () => {
    known.saw('link', 'a.md', A);
    expect(known.expectedOf('link', false)).toBeUndefined();
    known.saw('link', 'link', LINK);
    expect(known.expectedOf('link', false)).toEqual(LINK);
    expect(known.expectedOf('link', true)).toBeUndefined();
  });

  it('knows that nothing is below a folder that is gone, and nothing of what is below a new link', () => {
    known.saw('d/a', 'd/a', A);
    known.learn([record('d', DIRECTORY, ABSENT)], 5);
    expect(known.expectedOf('d/a', true)).toEqual(ABSENT);
    known.learn([record('d', ABSENT, LINK)], 6);
    expect(known.expectedOf('d/a', true)).toBeUndefined();
  });

  it('forgets a path under all of its names', () => {
    known.saw('link', 'a.md', A);
    known.forget('a.md');
    expect(known.expectedOf('link', true)).toBeUndefined();
    known.saw('link', 'a.md', A);
    known.forget('link');
    expect(known.expectedOf('a.md', true)).toBeUndefined();
  });

  it('looks once through what it knows, however many folders go in one operation', () => {
    const folders = Array.from({ length: 100 }, (_, n) => `d/${n}`);
    for (const folder of folders) known.saw(`${folder}/a`, `${folder}/a`, A);
    const looks = jest.spyOn(Map.prototype, 'keys');
    known.learn(
      [...folders, 'd'].map((folder) => record(folder, DIRECTORY, ABSENT)),
      5,
    );
    expect(looks.mock.calls.length).toBeLessThan(3);
    looks.mockRestore();
    expect(new Set(folders.map((folder) => known.expectedOf(`${folder}/a`, true)))).toEqual(new Set([ABSENT]));
  });

  it('knows nothing below a folder that went, where a link stands above it in the end', () => {
    known.saw('d/e/a', 'd/e/a', A);
    known.learn([record('d/e', DIRECTORY, ABSENT), record('d', DIRECTORY, ABSENT), record('d', ABSENT, LINK)], 5);
    expect(known.expectedOf('d/e/a', true)).toBeUndefined();
  });
});
