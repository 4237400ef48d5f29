import { expect, it } from '@jest/globals';
import { ABSENT, BlobHashSchema, type PathState } from '@retrace/contracts';
import { undoCoverageOf } from './undo-coverage.js';

const file: PathState = { kind: 'file', hash: BlobHashSchema.parse('a'.repeat(64)), size: 1, mode: 0o644 };

it.each<[PathState, boolean, string[]]>([
  [ABSENT, true, ['existence']],
  [file, true, ['existence', 'content', 'mode']],
  [{ kind: 'directory', mode: 0o755 }, true, ['existence', 'mode']],
  [{ kind: 'link', target: 'a' }, true, ['existence', 'link_target']],
  [{ kind: 'other', type: 'fifo' }, false, []],
])('an undo back to %j brings back what was captured', (before, undoable, restores) => {
  expect(undoCoverageOf(before)).toMatchObject({ undoable, restores });
});

it('says what is lost', () => {
  expect(undoCoverageOf(file).lost).toEqual(['mtime', 'xattrs']);
  expect(undoCoverageOf({ kind: 'other', type: 'fifo' }).lost).toEqual(['a fifo is not captured']);
});
