import { parentPath, type WorkspacePath } from '@retrace/contracts';
import { type IndexedOperation, makesFolder } from './operation-index.js';

/** What a plan must know beside the selected operations themselves. */
export interface Surroundings {
  /** The selected paths and every folder above them: their parents must stand when something is restored. */
  readonly exact: readonly WorkspacePath[];
  /** Folders that the plan may remove: whatever was recorded below them matters. */
  readonly folders: readonly WorkspacePath[];
}

export function surroundingsOf(selected: readonly IndexedOperation[]): Surroundings {
  const exact = new Set<WorkspacePath>();
  for (const { path } of selected)
    for (let above: string | undefined = path; above !== undefined && !exact.has(above as WorkspacePath);) {
      exact.add(above as WorkspacePath);
      above = parentPath(above);
    }
  const folders = selected.filter(({ after }) => after.kind === 'directory').map(({ path }) => path);
  return { exact: [...exact], folders: outermost(folders) };
}

/** The folders that taking these back may remove: what lies in them decides, recorded or not. */
export const foldersToEmpty = (selected: readonly IndexedOperation[]): WorkspacePath[] => [
  ...new Set(selected.filter(makesFolder).map(({ path }) => path)),
];

/** Drops what lies below another of them: it is read with it. */
function outermost(folders: readonly WorkspacePath[]): WorkspacePath[] {
  const all = new Set<string>(folders);
  return [...new Set(folders)].filter((folder) => {
    for (let above = parentPath(folder); above !== undefined; above = parentPath(above))
      if (all.has(above)) return false;
    return true;
  });
}

/**
 * The paths whose present state decides. Below a folder, what was last recorded as gone need not be looked at: should it
 * stand there again, nobody recorded that, and the listing of the folder names it.
 */
export function pathsToLookAt({ exact }: Surroundings, history: readonly IndexedOperation[]): WorkspacePath[] {
  const standing = new Map<WorkspacePath, boolean>();
  for (const { path, after } of history) standing.set(path, after.kind !== 'absent');
  return [...new Set([...exact, ...[...standing].filter(([, stands]) => stands).map(([path]) => path)])];
}
