import { canonicalPath, foldersAbove, type OperationRequest } from '@retrace/contracts';
import type { DecidableIntent } from './decision-input.js';

/** What an intent has to do with others: which of them may be decided out of order. */
export type Touches =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'paths';
      readonly session: string;
      readonly paths: readonly string[];
      /** The open logical operation that it is a part of: its parts keep their order. */
      readonly logicalOperation?: string;
    }
  /** The logical operation as such: its opening and its end stay where they are among its parts. */
  | { readonly kind: 'logical_operation'; readonly session: string; readonly logicalOperation: string }
  /** The session as such: its opening and its end stay where they are among its intents. */
  | { readonly kind: 'session'; readonly session: string }
  /** Unknown paths: nothing passes it and it passes nothing. */
  | { readonly kind: 'everything' };

/** `operations`: those of the blob that the intent names, once they are read. */
export function touchesOf(intent: DecidableIntent, operations?: readonly OperationRequest[]): Touches {
  switch (intent.type) {
    case 'session.open':
    case 'session.complete':
      return { kind: 'session', session: intent.session_id };
    case 'operation.open':
    case 'operation.commit':
    case 'operation.abort':
      return {
        kind: 'logical_operation',
        session: intent.session_id,
        logicalOperation: intent.logical_operation_id,
      };
    case 'rollback':
      return { kind: 'everything' };
    case 'operation.apply': {
      const { session_id: session, logical_operation_id: logicalOperation, operations_blob } = intent;
      if (operations_blob && !operations) return { kind: 'everything' };
      const paths = (operations ?? intent.operations).flatMap(pathsOf);
      return { kind: 'paths', session, paths, ...(logicalOperation !== undefined && { logicalOperation }) };
    }
  }
}

/** Both ends of a move or copy; of a folder made with those above it, the topmost: all of them may be new. */
function pathsOf(request: OperationRequest): string[] {
  const path = spelled(request.path);
  if ('to' in request) return [...path, ...spelled(request.to)];
  return request.action === 'mkdir' && request.parents ? path.map((made) => made.split('/', 1)[0]!) : path;
}

/** A path without a spelling is refused by itself. */
const spelled = (typed: string): string[] => {
  const parsed = canonicalPath(typed);
  return parsed.ok ? [parsed.path] : [];
};

/** Counts names. */
class Names {
  private readonly counts = new Map<string, number>();

  has(name: string): boolean {
    return this.counts.has(name);
  }

  count(name: string, by: 1 | -1): void {
    const left = (this.counts.get(name) ?? 0) + by;
    if (left > 0) this.counts.set(name, left);
    else this.counts.delete(name);
  }
}

/** Collects what earlier intents touch, and answers whether a later one must wait for them. */
export class TouchedSet {
  private readonly paths = new Names();
  private readonly above = new Names();
  private readonly ended = new Names();
  private readonly written = new Names();
  private readonly logicalOperations = new Names();
  private everything = 0;
  private anything = 0;

  add(touches: Touches): void {
    this.count(touches, 1);
  }

  /** Of what was added. */
  remove(touches: Touches): void {
    this.count(touches, -1);
  }

  private count(touches: Touches, by: 1 | -1): void {
    switch (touches.kind) {
      case 'nothing':
        return;
      case 'everything':
        this.everything += by;
        break;
      case 'session':
        this.ended.count(touches.session, by);
        break;
      case 'logical_operation':
        this.written.count(touches.session, by);
        this.logicalOperations.count(touches.logicalOperation, by);
        break;
      case 'paths':
        this.written.count(touches.session, by);
        if (touches.logicalOperation !== undefined) this.logicalOperations.count(touches.logicalOperation, by);
        for (const path of touches.paths) this.countPath(path, by);
        break;
    }
    this.anything += by;
  }

  overlaps(touches: Touches): boolean {
    if (touches.kind === 'nothing') return false;
    if (this.everything > 0) return true;
    switch (touches.kind) {
      case 'everything':
        return this.anything > 0;
      case 'session':
        return this.ended.has(touches.session) || this.written.has(touches.session);
      case 'logical_operation':
        return this.ended.has(touches.session) || this.logicalOperations.has(touches.logicalOperation);
      case 'paths':
        return (
          this.ended.has(touches.session) ||
          (touches.logicalOperation !== undefined && this.logicalOperations.has(touches.logicalOperation)) ||
          touches.paths.some((path) => this.overlapsPath(path))
        );
    }
  }

  private countPath(path: string, by: 1 | -1): void {
    this.paths.count(path, by);
    for (const folder of foldersAbove(path)) this.above.count(folder, by);
  }

  /** The same as `pathsOverlap` with each path in turn, without trying each. */
  private overlapsPath(path: string): boolean {
    if (this.paths.has(path) || this.above.has(path)) return true;
    for (const folder of foldersAbove(path)) if (this.paths.has(folder)) return true;
    return false;
  }
}
