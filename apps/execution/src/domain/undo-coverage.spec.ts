import { expect, it } from '@jest/globals';
import { ABSENT, BlobHashSchema, type PathState } from '@retrace/contracts';
import { undoCoverageOf } from './undo-coverage.js';

const file: PathState = { kind: 'file', hash: BlobHashSchema.parse('a'.repeat(64)), size: 1, mode: 0o644 };

const kept = { removed: false, names: 1 };

it.each<[PathState, boolean, string[]]>([
  [ABSENT, true, ['existence']],
  [file, true, ['existence', 'content', 'mode']],
  [{ kind: 'directory', mode: 0o755 }, true, ['existence', 'mode']],
  [{ kind: 'link', target: 'a' }, true, ['existence', 'link_target']],
  [{ kind: 'other', type: 'fifo' }, false, []],
])('an undo back to %j brings back what was captured', (before, undoable, restores) => {
  expect(undoCoverageOf(before, kept)).toMatchObject({ undoable, restores });
});

it('says what is lost', () => {
  expect(undoCoverageOf(file, kept).lost).toEqual(['mtime', 'xattrs']);
  expect(undoCoverageOf(file, { removed: true, names: 1 }).lost).toEqual(['mtime', 'xattrs', 'owner']);
  expect(undoCoverageOf(file, { removed: true, names: 2 }).lost).toContain('the hard link to its other names');
  expect(undoCoverageOf({ kind: 'other', type: 'fifo' }, kept).lost).toEqual(['a fifo is not captured']);
});
