import { parentPath, type WorkspacePath } from '@retrace/contracts';
import { type IndexedOperation, makesFolder } from './operation-index.js';

/** What a plan must know beside the selected operations themselves. */
export interface Surroundings {
  /** The paths and every folder above them: their parents must stand when something is restored. */
  readonly exact: readonly WorkspacePath[];
  /** Folders that the plan may remove: whatever was recorded below them matters. */
  readonly folders: readonly WorkspacePath[];
}

/** Paths that a walk may come to: the selected ones, and names that their objects were given later. */
export interface Reach {
  readonly paths: ReadonlySet<WorkspacePath>;
  /** Those of them where a folder is taken back. */
  readonly folders: ReadonlySet<WorkspacePath>;
}

export const reachOf = (selected: readonly IndexedOperation[]): Reach => ({
  paths: new Set(selected.map(({ path }) => path)),
  folders: new Set(selected.filter(({ after }) => after.kind === 'directory').map(({ path }) => path)),
});

/** Follows recorded moves; the same object where nothing new came of it. Call it until then, with more history. */
export function follow(reach: Reach, history: readonly IndexedOperation[]): Reach {
  const paths = new Set(reach.paths);
  const folders = new Set(reach.folders);
  const leaving = history.filter(({ path, moved_to }) => moved_to !== null && reach.paths.has(path));
  for (const { path, moved_to } of leaving) {
    paths.add(moved_to!);
    if (reach.folders.has(path)) folders.add(moved_to!);
  }
  return paths.size === reach.paths.size && folders.size === reach.folders.size ? reach : { paths, folders };
}

export function surroundingsOf({ paths, folders }: Reach): Surroundings {
  const exact = new Set<WorkspacePath>();
  for (const path of paths)
    for (let above: string | undefined = path; above !== undefined && !exact.has(above as WorkspacePath);) {
      exact.add(above as WorkspacePath);
      above = parentPath(above);
    }
  return { exact: [...exact], folders: outermost(folders) };
}

/** The folders that taking these back may remove, by all their names: what lies in them decides, recorded or not. */
export function foldersToEmpty(
  selected: readonly IndexedOperation[],
  history: readonly IndexedOperation[],
): WorkspacePath[] {
  let made: Reach = reachOf(selected.filter(makesFolder));
  for (let more = follow(made, history); more !== made; more = follow(made, history)) made = more;
  return [...made.paths];
}

/** Drops what lies below another of them: it is read with it. */
function outermost(folders: ReadonlySet<WorkspacePath>): WorkspacePath[] {
  return [...folders].filter((folder) => {
    for (let above = parentPath(folder); above !== undefined; above = parentPath(above))
      if (folders.has(above as WorkspacePath)) return false;
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
