import type { PathState, UndoCoverage } from '@retrace/contracts';

export interface Circumstances {
  /** The object goes: a new one takes its place when it is brought back. */
  readonly removed: boolean;
  /** The object went to another path, and comes back from there itself. */
  readonly moved?: boolean;
  /** Names that the file has, here or elsewhere (hard links). */
  readonly names: number;
}

/** What an undo of a change from this pre-image brings back, and what it does not: not captured is lost. */
export function undoCoverageOf(before: PathState, { removed, moved, names }: Circumstances): UndoCoverage {
  if (moved) return { ...undoCoverageOf(before, { removed: false, names }), lost: [] };
  const gone = removed ? ['owner'] : [];
  switch (before.kind) {
    case 'absent':
      return { undoable: true, restores: ['existence'], lost: [] };
    case 'file': {
      const others = removed && names > 1 ? ['the hard link to its other names'] : [];
      return {
        undoable: true,
        restores: ['existence', 'content', 'mode'],
        lost: ['mtime', 'xattrs', ...gone, ...others],
      };
    }
    case 'directory':
      return { undoable: true, restores: ['existence', 'mode'], lost: ['mtime', 'xattrs', ...gone] };
    case 'link':
      return { undoable: true, restores: ['existence', 'link_target'], lost: ['mtime', ...gone] };
    case 'other':
      return { undoable: false, restores: [], lost: [`a ${before.type} is not captured`] };
  }
}
