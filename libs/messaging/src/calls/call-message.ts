import { errorCodeOf, isErrorCode, type Problem, ProblemSchema, RetraceError, RPC_HEADERS } from '@retrace/contracts';
import { headers as newHeaders, type Msg, type MsgHdrs } from '@nats-io/transport-node';

export const toHeaders = (values: Readonly<Record<string, string>> = {}): MsgHdrs => {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
};

/** The log or the bus went away while the service worked: nothing is wrong with it, and the call can be made again. */
const AWAY: ReadonlySet<unknown> = new Set([
  'ReadCut',
  'TimeoutError',
  'NoResponders',
  'RequestError',
  'ConnectionError',
]);

/** By name: what is wrapped stands in `cause`. Where an event may have been written, asking again is not harmless. */
function isAway(error: unknown): boolean {
  const { name, cause } = (error ?? {}) as { name?: unknown; cause?: unknown };
  if (name === 'AppendUnknown') return false;
  return AWAY.has(name) || (cause !== undefined && isAway(cause));
}

/** An error as it travels. What has no code of ours stays inside: its text may name things that are not the caller's. */
export function problemOf(error: unknown): Problem {
  const code = errorCodeOf(error);
  if (code === 'internal' && isAway(error))
    return { code: 'unavailable', message: 'the bus was away for a moment; ask again' };
  if (code === 'internal') return { code, message: 'the service failed; its log says why' };
  const { message = code, details } = error as { message?: string; details?: Record<string, unknown> };
  return { code, message, ...(details === undefined ? {} : { details }) };
}

/** Throws the error that an answer carries, if it carries one. */
export function throwProblem(reply: Msg): void {
  const code = reply.headers?.get(RPC_HEADERS.error);
  if (!code) return;
  const parsed = ProblemSchema.safeParse(parseJson(reply.string()));
  const message = parsed.success ? parsed.data.message : code;
  const details = parsed.success ? parsed.data.details : undefined;
  throw new RetraceError(isErrorCode(code) ? code : 'internal', message, details === undefined ? {} : { details });
}

/** `undefined` where it is no JSON: no schema takes that. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
