import type { CallDefinition, Principal, WorkspaceName } from '@retrace/contracts';
import type { CallClient, CallOptions } from '@retrace/messaging/client';
import type { z } from 'zod';

/** A request without what this connection adds by itself. */
export type Request<C extends CallDefinition> = Omit<z.input<C['request']>, 'min_sequence'>;
export type Reply<C extends CallDefinition> = Promise<z.infer<C['reply']>>;

/** Calls in one workspace, and how far in the log this connection's own changes reach. */
export class WorkspaceCalls {
  private seen = 0;

  constructor(
    readonly raw: CallClient,
    readonly principal: Principal,
    readonly workspace: WorkspaceName,
  ) {}

  /** The newest sequence that this connection's changes left. */
  get lastSequence(): number {
    return this.seen;
  }

  saw(sequence: number): void {
    this.seen = Math.max(this.seen, sequence);
  }

  call<Q extends z.ZodType, R extends z.ZodType>(
    call: CallDefinition<Q, R>,
    request: z.input<Q>,
    options?: CallOptions,
  ): Promise<z.infer<R>> {
    return this.raw.call(call, this.workspace, request, options);
  }

  /** A call that means no workspace. */
  system<Q extends z.ZodType, R extends z.ZodType>(
    call: CallDefinition<Q, R>,
    request: z.input<Q>,
  ): Promise<z.infer<R>> {
    return this.raw.call(call, '_', request);
  }

  /** Makes a query see at least what this connection's own changes left. */
  fresh(): { min_sequence?: number } {
    return this.seen > 0 ? { min_sequence: this.seen } : {};
  }
}
