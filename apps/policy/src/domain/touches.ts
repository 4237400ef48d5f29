import { canonicalPath } from '@retrace/contracts';
import type { DecidableIntent } from './decision-input.js';

/** What an intent has to do with others: which of them may be decided out of order. */
export type Touches =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'paths'; readonly session: string; readonly paths: readonly string[] }
  /** The session as such: its opening and its end stay where they are among its intents. */
  | { readonly kind: 'session'; readonly session: string }
  /** Unknown paths: nothing passes it and it passes nothing. */
  | { readonly kind: 'everything' };

export function touchesOf(intent: DecidableIntent): Touches {
  switch (intent.type) {
    case 'session.open':
    case 'session.complete':
      return { kind: 'session', session: intent.session_id };
    case 'rollback':
      return { kind: 'everything' };
    case 'operation.apply':
      return { kind: 'paths', session: intent.session_id, paths: intent.operations.flatMap(spelled) };
  }
}

/** A path without a spelling is refused by itself. */
const spelled = ({ path }: { readonly path: string }): string[] => {
  const parsed = canonicalPath(path);
  return parsed.ok ? [parsed.path] : [];
};

/** Collects what earlier intents touch, and answers whether a later one must wait for them. */
export class TouchedSet {
  private readonly paths = new Set<string>();
  private readonly above = new Set<string>();
  private readonly ended = new Set<string>();
  private readonly written = new Set<string>();
  private everything = false;
  private anything = false;

  add(touches: Touches): void {
    switch (touches.kind) {
      case 'nothing':
        return;
      case 'everything':
        this.everything = true;
        break;
      case 'session':
        this.ended.add(touches.session);
        break;
      case 'paths':
        this.written.add(touches.session);
        for (const path of touches.paths) this.addPath(path);
        break;
    }
    this.anything = true;
  }

  overlaps(touches: Touches): boolean {
    if (touches.kind === 'nothing') return false;
    if (this.everything) return true;
    switch (touches.kind) {
      case 'everything':
        return this.anything;
      case 'session':
        return this.ended.has(touches.session) || this.written.has(touches.session);
      case 'paths':
        return this.ended.has(touches.session) || touches.paths.some((path) => this.overlapsPath(path));
    }
  }

  private addPath(path: string): void {
    this.paths.add(path);
    for (const folder of foldersAbove(path)) this.above.add(folder);
  }

  /** The same as `pathsOverlap` with each path in turn, without trying each. */
  private overlapsPath(path: string): boolean {
    if (this.paths.has(path) || this.above.has(path)) return true;
    for (const folder of foldersAbove(path)) if (this.paths.has(folder)) return true;
    return false;
  }
}

function* foldersAbove(path: string): Iterable<string> {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
    yield path.slice(0, slash);
}
