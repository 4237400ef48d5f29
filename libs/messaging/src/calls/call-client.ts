import {
  BytesSchema,
  type CallDefinition,
  callPattern,
  type ErrorCode,
  type Principal,
  RetraceError,
  type RpcAddress,
  rpcSubject,
  serviceSubject,
  type WorkspaceName,
} from '@retrace/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { RawReply } from './call-context.js';
import { parseJson, throwProblem, toHeaders } from './call-message.js';
import { requestPatiently } from './request-patiently.js';
import type { LocalCalls } from './local-calls.js';

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Default 10 s over the bus; none in the same process, where nobody goes missing. The work that was asked for goes on. */
  readonly timeoutMs?: number;
}

export interface Answer<Reply> {
  readonly reply: Reply;
  readonly header: (name: string) => string | undefined;
}

const TIMEOUT_MS = 10_000;

/** Calls services: as one of them (`retrace.svc`), or as a principal (`retrace.rpc.<principal>`). */
export class CallClient {
  private constructor(
    private readonly connection: NatsConnection,
    private readonly principal: Principal | undefined,
    private readonly local: LocalCalls | undefined,
  ) {}

  /** For services: those in the same process are called directly. */
  static forService(connection: NatsConnection, local?: LocalCalls): CallClient {
    return new CallClient(connection, undefined, local);
  }

  static forPrincipal(connection: NatsConnection, principal: Principal): CallClient {
    return new CallClient(connection, principal, undefined);
  }

  /** Calls and answers the reply. Rejects with {@link RetraceError}: the service's own code, `unavailable` or `timeout`. */
  async call<Request extends z.ZodType, Reply extends z.ZodType>(
    call: CallDefinition<Request, Reply>,
    workspace: WorkspaceName | '_',
    request: z.input<Request>,
    options: CallOptions = {},
  ): Promise<z.infer<Reply>> {
    return (await this.ask(call, workspace, request, options)).reply;
  }

  /** Like {@link CallClient.call}, with the headers of the answer. */
  async ask<Request extends z.ZodType, Reply extends z.ZodType>(
    call: CallDefinition<Request, Reply>,
    workspace: WorkspaceName | '_',
    request: z.input<Request>,
    options: CallOptions = {},
  ): Promise<Answer<z.infer<Reply>>> {
    const handler = this.local?.find(callPattern(call));
    if (!handler) return this.askBus(call, workspace, request, options);
    const caller = { principal: undefined, workspace, service: call.service, verb: call.verb };
    const parsed = parseAs(call.request, request, 'bad_request', call);
    const context = { caller, header: (name: string) => options.headers?.[name] };
    const answer = await inTime(handler(parsed, context), call, options.timeoutMs);
    if (answer instanceof RawReply)
      return { reply: answer.body as z.infer<Reply>, header: (name) => answer.headers[name] };
    return { reply: answer as z.infer<Reply>, header: () => undefined };
  }

  private async askBus<Request extends z.ZodType, Reply extends z.ZodType>(
    call: CallDefinition<Request, Reply>,
    workspace: WorkspaceName | '_',
    request: z.input<Request>,
    { headers, timeoutMs = TIMEOUT_MS }: CallOptions,
  ): Promise<Answer<z.infer<Reply>>> {
    const address: RpcAddress = { workspace, service: call.service, verb: call.verb };
    const subject = this.principal === undefined ? serviceSubject(address) : rpcSubject(this.principal, address);
    const body = (request as unknown) instanceof Uint8Array ? (request as Uint8Array) : JSON.stringify(request);
    const options = { timeout: timeoutMs, ...(headers && { headers: toHeaders(headers) }) };
    const message = await requestPatiently(this.connection, subject, body, options, call);
    throwProblem(message);
    const raw = (call.reply as z.ZodType) === BytesSchema ? message.data : parseJson(message.string());
    const reply = parseAs(call.reply, raw, 'internal', call);
    return { reply, header: (name) => message.headers?.get(name) || undefined };
  }
}

function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: ErrorCode,
  call: CallDefinition,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new RetraceError(code, `${callPattern(call)}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

async function inTime<Result>(work: Promise<Result>, call: CallDefinition, ms?: number): Promise<Result> {
  if (ms === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = () => new RetraceError('timeout', `no answer in ${ms} ms to ${callPattern(call)}`);
    timer = setTimeout(() => reject(error()), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
