import type { Applied } from '@retrace/client';
import type { Random } from '../random.js';

/** What a worker believes stands at its paths. It may be wrong: others are at work too, and an undo was. */
export class KnownFiles {
  /** Path to the mark of its text, where that is known. */
  private readonly files = new Map<string, string | undefined>();

  any(random: Random): string | undefined {
    return this.files.size === 0 ? undefined : random.pick([...this.files.keys()]);
  }

  mark(path: string): string | undefined {
    return this.files.get(path);
  }

  get size(): number {
    return this.files.size;
  }

  saw(applied: Applied | undefined, mark?: string): void {
    for (const { path, action, state_snapshot_after: after } of applied?.operations ?? []) {
      if (after.state.kind !== 'file') this.files.delete(path.canonical);
      else if (action !== 'append' && action !== 'chmod') this.files.set(path.canonical, mark);
    }
  }
}
