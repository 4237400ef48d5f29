import { ABSENT, parentPath, type PathState, type RestoreStep, samePathState } from '@retrace/contracts';
import { partsOf } from '../step-parts.js';
import type { Listings } from '../unrecorded-entries.js';

/** A file tree that refuses what a file system would: the truth that plans are held against. */
export class ModelTree {
  readonly entries: Map<string, PathState>;
  /** Objects on their way from one path to another, by both. */
  private readonly staged = new Map<string, PathState>();

  constructor(entries: Iterable<readonly [string, PathState]> = []) {
    this.entries = new Map(entries);
  }

  copy(): ModelTree {
    return new ModelTree(this.entries);
  }

  state(path: string): PathState {
    return this.entries.get(path) ?? ABSENT;
  }

  hasChildren(path: string): boolean {
    return [...this.entries.keys()].some((other) => other.startsWith(`${path}/`));
  }

  /** What a look into these folders shows; what is no folder is missing. */
  listings(folders: readonly string[]): Listings {
    const standing = folders.filter((folder) => this.state(folder).kind === 'directory');
    const paths = [...this.entries.keys()];
    const namesIn = (folder: string) =>
      paths.filter((path) => parentPath(path) === folder).map((path) => path.slice(folder.length + 1));
    return new Map(standing.map((folder) => [folder, { names: namesIn(folder), more: false }]));
  }

  hasFolder(path: string): boolean {
    const folder = parentPath(path);
    return folder === undefined || this.state(folder).kind === 'directory';
  }

  /** Brings a path to a state; throws where the tree would not be one any more. */
  change(path: string, to: PathState): void {
    const from = this.state(path);
    if (to.kind !== 'absent' && !this.hasFolder(path)) throw new Error(`${path}: no folder`);
    if (from.kind === 'directory' && to.kind !== 'directory' && this.hasChildren(path))
      throw new Error(`${path}: not empty`);
    if (from.kind !== 'absent' && to.kind !== 'absent' && (from.kind === 'directory') !== (to.kind === 'directory'))
      throw new Error(`${path}: a file and a folder do not replace each other`);
    if (to.kind === 'absent') this.entries.delete(path);
    else this.entries.set(path, to);
  }

  /** Runs steps as execution does: each is checked against what stands there. */
  run(steps: readonly RestoreStep[]): void {
    for (const part of partsOf(steps)) {
      for (const step of part) this.step(step);
      if (this.staged.size > 0) throw new Error(`${[...this.staged.keys()].join()}: taken and not placed`);
    }
  }

  private step({ path, expect, restore, moves_from, moves_to }: RestoreStep): void {
    if (!samePathState(this.state(path), expect)) throw new Error(`${path}: not what the step expects`);
    if (moves_to !== undefined) {
      if (restore.kind !== 'absent') throw new Error(`${path}: taken, and something stays`);
      this.staged.set(`${path} to ${moves_to}`, expect);
    }
    if (moves_from !== undefined) {
      const object = this.staged.get(`${moves_from} to ${path}`);
      if (!object || expect.kind !== 'absent') throw new Error(`${path}: nothing comes from ${moves_from}`);
      if (!samePathState(object, restore)) throw new Error(`${path}: something else comes from ${moves_from}`);
      this.staged.delete(`${moves_from} to ${path}`);
    }
    this.change(path, restore);
  }

  /** For comparison. */
  toJSON(): Record<string, PathState> {
    return Object.fromEntries([...this.entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}
