import type { Principal, SessionId, WorkspaceName } from '@retrace/contracts';
import type { OperationKind } from '../entities/logical-operation.entity.js';
import type { Viewer } from './viewer.js';

export interface LogFilter {
  readonly workspace: WorkspaceName;
  readonly viewer: Viewer;
  readonly sessionId?: SessionId | undefined;
  readonly agent?: Principal | undefined;
  /** A path in its one spelling: it or what lies below it. */
  readonly path?: string | undefined;
  /** Answers whether a path is asked for; together with `path` and `action` about the same operation. */
  readonly matches?: ((path: string) => boolean) | undefined;
  readonly action?: string | undefined;
  readonly status?: 'applied' | 'failed' | 'denied' | undefined;
  readonly kind?: OperationKind | undefined;
  /** Milliseconds since 1970, both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The oldest entries after it, instead of the newest. */
  readonly afterSequence?: number | undefined;
  readonly beforeSequence?: number | undefined;
  readonly limit: number;
}

/** Whether the oldest entries come first in what is looked at. */
export const isForward = ({ afterSequence }: LogFilter): boolean => afterSequence !== undefined;
