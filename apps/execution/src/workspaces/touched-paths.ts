/** Paths that are being changed, to be told apart from others that have nothing to do with them. */
export class TouchedPaths {
  private readonly paths = new Set<string>();
  /** Folders above any of them. */
  private readonly above = new Set<string>();

  add(path: string): void {
    this.paths.add(path);
    for (const folder of foldersAbove(path)) this.above.add(folder);
  }

  /** Answers whether a path is one of them, above or below one. */
  overlaps(path: string): boolean {
    if (this.paths.has(path) || this.above.has(path)) return true;
    for (const folder of foldersAbove(path)) if (this.paths.has(folder)) return true;
    return false;
  }
}

function* foldersAbove(path: string): Iterable<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end);
}
