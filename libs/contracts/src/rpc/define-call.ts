import type { z } from 'zod';

/** One RPC: which service answers it, and the shapes of both sides. `raw` sides are bytes with headers. */
export interface CallDefinition<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly service: string;
  readonly verb: string;
  readonly request: Request;
  readonly reply: Reply;
}

export const defineCall = <Request extends z.ZodType, Reply extends z.ZodType>(
  service: string,
  verb: string,
  request: Request,
  reply: Reply,
): CallDefinition<Request, Reply> => ({ service, verb, request, reply });

/** `service.verb`: the pattern that a handler is bound to. */
export const callPattern = (call: CallDefinition): string => `${call.service}.${call.verb}`;
