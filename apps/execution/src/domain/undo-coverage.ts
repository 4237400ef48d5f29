import type { PathState, UndoCoverage } from '@retrace/contracts';

/** What an undo of a change from this pre-image brings back. Times, extended attributes and foreign owners are not captured. */
export function undoCoverageOf(before: PathState): UndoCoverage {
  switch (before.kind) {
    case 'absent':
      return { undoable: true, restores: ['existence'], lost: [] };
    case 'file':
      return { undoable: true, restores: ['existence', 'content', 'mode'], lost: ['mtime', 'xattrs'] };
    case 'directory':
      return { undoable: true, restores: ['existence', 'mode'], lost: ['mtime', 'xattrs'] };
    case 'link':
      return { undoable: true, restores: ['existence', 'link_target'], lost: ['mtime'] };
    case 'other':
      return { undoable: false, restores: [], lost: [`a ${before.type} is not captured`] };
  }
}
