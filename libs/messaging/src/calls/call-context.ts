import type { RpcCaller } from '@retrace/contracts';

/** Who calls, and the headers of the request. */
export interface CallContext {
  readonly caller: RpcCaller;
  readonly header: (name: string) => string | undefined;
}

/** An answer that is bytes, or that needs headers. Any other value is sent as JSON. */
export class RawReply {
  constructor(
    readonly body: Uint8Array,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A handler of one call, bound to its pattern. Requests reach it parsed. */
export type CallHandler = (request: unknown, context: CallContext) => Promise<unknown>;
