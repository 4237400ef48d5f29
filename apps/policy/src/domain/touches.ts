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

/** Collects what earlier intents touch, and answers whether a later one must wait for them. */
export class TouchedSet {
  private readonly paths = new Set<string>();
  private readonly above = new Set<string>();
  private readonly ended = new Set<string>();
  private readonly written = new Set<string>();
  private readonly logicalOperations = new Set<string>();
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
      case 'logical_operation':
        this.written.add(touches.session);
        this.logicalOperations.add(touches.logicalOperation);
        break;
      case 'paths':
        this.written.add(touches.session);
        if (touches.logicalOperation !== undefined) this.logicalOperations.add(touches.logicalOperation);
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
