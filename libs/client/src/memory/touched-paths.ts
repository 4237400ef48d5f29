/** Paths that changes under way reach, each as often as a change reaches it. The empty path is the root: everything. */
export class TouchedPaths {
  private readonly paths = new Map<string, number>();
  /** Folders that hold such paths, and how many. */
  private readonly holders = new Map<string, number>();

  get empty(): boolean {
    return this.paths.size === 0;
  }

  add(path: string): void {
    count(this.paths, path, 1);
    for (const folder of foldersOf(path)) count(this.holders, folder, 1);
  }

  remove(path: string): void {
    count(this.paths, path, -1);
    for (const folder of foldersOf(path)) count(this.holders, folder, -1);
  }

  /** Whether one of them is this path, lies below it or holds it. */
  overlaps(path: string): boolean {
    if (this.empty) return false;
    if (this.paths.has(path) || this.holders.has(path)) return true;
    return foldersOf(path).some((folder) => this.paths.has(folder));
  }
}

function count(map: Map<string, number>, key: string, change: number): void {
  const now = (map.get(key) ?? 0) + change;
  if (now === 0) map.delete(key);
  else map.set(key, now);
}

/** `a/b/c` lies in `a/b`, `a` and the root. */
export function foldersOf(path: string): string[] {
  if (path === '') return [];
  const folders = [''];
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
    folders.push(path.slice(0, slash));
  return folders;
}
