import {
  BytesSchema,
  type CallDefinition,
  errorCodeOf,
  parseRpcSubject,
  parseSafely,
  type Problem,
  RetraceError,
  RPC_HEADERS,
  type RpcCaller,
} from '@retrace/contracts';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { z } from 'zod';
import { type CallHandler, RawReply } from '../calls/call-context.js';
import { problemOf, toHeaders } from '../calls/call-message.js';

/** Calls under way in one service before it answers `busy`. */
const LIMIT = 512;

/** Answers calls from the bus: raw bodies, metadata in headers, errors as problems. */
export class CallServer {
  private readonly subscriptions: Subscription[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly connection: NatsConnection,
    private readonly onTrouble: (error: unknown, subject: string) => void,
  ) {}

  /** Answers a call for every workspace, from agents, operators and services; instances share the work. */
  serve(call: CallDefinition, handler: CallHandler): void {
    const patterns = [`retrace.rpc.*.*.${call.service}.${call.verb}`, `retrace.svc.*.${call.service}.${call.verb}`];
    for (const pattern of patterns) {
      const callback = (error: Error | null, message: Msg): void => {
        if (error) this.onTrouble(error, pattern);
        else this.take(call, handler, message);
      };
      this.subscriptions.push(this.connection.subscribe(pattern, { queue: call.service, callback }));
    }
  }

  /** No new calls; resolves when those under way are answered. */
  async close(): Promise<void> {
    if (!this.connection.isClosed())
      await Promise.all(this.subscriptions.map((subscription) => subscription.drain().catch(() => undefined)));
    await Promise.all(this.running);
  }

  private take(call: CallDefinition, handler: CallHandler, message: Msg): void {
    // Any other reply subject would make this service publish what the caller chose.
    if (!message.reply?.startsWith('_INBOX.') && !message.reply?.startsWith('_R_.')) return;
    if (this.running.size >= LIMIT) {
      this.fail(message, new RetraceError('busy', `${call.service} has ${LIMIT} calls under way; try again`));
      return;
    }
    const answered = this.answer(call, handler, message).finally(() => this.running.delete(answered));
    this.running.add(answered);
  }

  private async answer(call: CallDefinition, handler: CallHandler, message: Msg): Promise<void> {
    try {
      const caller = callerOf(message.subject);
      const request = parseRequest(call, message.data);
      this.respond(
        message,
        await handler(request, { caller, header: (name) => message.headers?.get(name) || undefined }),
      );
    } catch (error) {
      if (errorCodeOf(error) === 'internal') this.onTrouble(error, message.subject);
      this.fail(message, error);
    }
  }

  private respond(message: Msg, answer: unknown): void {
    const raw = answer instanceof RawReply ? answer : new RawReply(Buffer.from(JSON.stringify(answer ?? {})));
    if (raw.body.length > this.room)
      throw new RetraceError('reply_too_large', `the answer has ${raw.body.length} bytes; ask for less`);
    message.respond(raw.body, { headers: toHeaders(raw.headers) });
  }

  /** The problem as JSON; `undefined` where its details are no JSON, or too many for one message. */
  private fitting(problem: Problem): string | undefined {
    try {
      const text = JSON.stringify(problem);
      return Buffer.byteLength(text) <= this.room ? text : undefined;
    } catch {
      return undefined;
    }
  }

  /** Bytes that an answer may have, headers aside. */
  private get room(): number {
    return (this.connection.info?.max_payload ?? 1 << 20) - 4096;
  }

  private fail(message: Msg, error: unknown): void {
    const { code, message: text, details } = problemOf(error);
    const headers = toHeaders({ [RPC_HEADERS.error]: code });
    try {
      message.respond(this.fitting({ code, message: text, details }) ?? JSON.stringify({ code, message: text }), {
        headers,
      });
    } catch (gone) {
      // The connection went: the caller times out and asks again.
      this.onTrouble(gone, message.subject);
    }
  }
}

function callerOf(subject: string): RpcCaller {
  const caller = parseRpcSubject(subject);
  if (!caller) throw new RetraceError('bad_subject', `${subject} is no call`);
  return caller;
}

/** Bytes stay bytes; everything else is JSON of the call's schema. */
function parseRequest(call: CallDefinition, body: Uint8Array): unknown {
  if (call.request === BytesSchema) return body;
  let json: unknown;
  try {
    json = body.length === 0 ? {} : JSON.parse(Buffer.from(body).toString());
  } catch (cause) {
    throw new RetraceError('bad_json', `${call.service}.${call.verb} takes JSON`, { cause });
  }
  const parsed = parseSafely(call.request, json);
  if (!parsed.success)
    throw new RetraceError('bad_request', `${call.service}.${call.verb}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
