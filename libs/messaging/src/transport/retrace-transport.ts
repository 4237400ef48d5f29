import { type CallDefinition, callPattern, parseEventSubject, type StoredEvent } from '@retrace/contracts';
import {
  ConsumerSource,
  decodeMessages,
  type LaneDelivery,
  type LaneOptions,
  type LogTap,
  OrderedLanes,
  type RememberedTail,
  TapSource,
  TerminalError,
} from '@retrace/event-log';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { NatsConnection } from '@nats-io/transport-node';
import { isObservable, lastValueFrom } from 'rxjs';
import type { CallHandler } from '../calls/call-context.js';
import type { LocalCalls } from '../calls/local-calls.js';
import { CallServer } from './call-server.js';
import { eventPattern, INTENT_PATTERN } from './decorators.js';

/** A stream that the service reads; its handlers are found by pattern. */
export type LaneSource = Omit<LaneOptions, 'handle' | 'onTrouble'>;

export interface TransportOptions {
  readonly connection: NatsConnection;
  /** The log. Absent: the service handles no events. */
  readonly log?: LaneSource;
  /** The agents' door; policy alone reads it. */
  readonly intents?: LaneSource;
  /** Hears the log for all services of the process. Absent: this one reads by a consumer of its own. */
  readonly tap?: LogTap;
  /** Waits for a log that lost its tail to be put back. */
  readonly tail?: Pick<RememberedTail, 'reached'>;
  /** Calls of services in the same process reach the handlers directly. */
  readonly localCalls?: LocalCalls;
  readonly onTrouble: (where: 'retry' | 'lane' | 'rejected' | 'call', error: unknown, about?: string) => void;
  /** Runs between the last handler and the end of the connection. */
  readonly settle?: () => Promise<void>;
  /** How long a shutdown waits for handlers, in ms (30,000). */
  readonly closeTimeoutMs?: number;
}

/** Nest transport: events in ordered lanes, calls by request and reply. The connection is drained by `close`. */
export class RetraceTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('RETRACE');
  readonly logLanes: OrderedLanes | undefined;
  private readonly intentLanes: OrderedLanes | undefined;
  private readonly calls: CallServer;
  private closing: Promise<void> | undefined;

  constructor(private readonly options: TransportOptions) {
    super();
    const { connection, log, intents, tap, onTrouble } = options;
    this.calls = new CallServer(connection, (error, subject) => onTrouble('call', error, subject));
    const source = log && tap && new TapSource(tap, new ConsumerSource(connection, log.stream));
    this.logLanes = log && this.lanes({ ...log, ...(source && { source }) }, (delivery) => this.onLogEvent(delivery));
    this.intentLanes = intents && this.lanes(intents, (delivery) => this.onIntentMessage(delivery));
  }

  /** Calls are served first: a service may need another's answer to catch up. */
  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      for (const [pattern, handler] of this.messageHandlers) this.bind(pattern, handler);
      await this.options.connection.flush();
      await this.logLanes?.start();
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Begins with the agents' door: policy calls it once its fold of the log is complete. */
  async openIntents(): Promise<void> {
    await this.intentLanes?.start();
  }

  close(): Promise<void> {
    return (this.closing ??= this.shutdown());
  }

  private async shutdown(): Promise<void> {
    const { connection, localCalls, settle, closeTimeoutMs = 30_000 } = this.options;
    for (const pattern of this.messageHandlers.keys()) localCalls?.remove(pattern);
    const ended = Promise.all([this.intentLanes?.close(), this.logLanes?.close(), this.calls.close()]);
    const done = ended.then(() => settle?.());
    let timer: NodeJS.Timeout | undefined;
    const late = await Promise.race([
      done.then(() => false),
      new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(true), closeTimeoutMs);
      }),
    ]);
    clearTimeout(timer);
    // Without a bus there is nothing to drain to.
    if (!connection.isClosed()) await connection.drain().catch(() => connection.close());
    if (late) throw new Error(`handlers still running after ${closeTimeoutMs} ms`);
  }

  private lanes(source: LaneSource, handle: (delivery: LaneDelivery) => Promise<void>): OrderedLanes {
    const onTrouble = (where: 'retry' | 'lane' | 'rejected', error: unknown, delivery?: LaneDelivery): void =>
      this.options.onTrouble(where, error, delivery && `${delivery.message.subject} at ${delivery.position.sequence}`);
    const { connection, tail } = this.options;
    const recovered = tail && ((sequence: number, signal: AbortSignal) => tail.reached(sequence, signal));
    return new OrderedLanes(connection, { ...source, handle, onTrouble, recovered });
  }

  private bind(pattern: string, handler: MessageHandler): void {
    if (handler.isEventHandler) {
      if (handler.next)
        throw new Error(`two handlers for ${pattern}: position and effect would not be one transaction`);
      return;
    }
    const call = (handler.extras as { call?: CallDefinition } | undefined)?.call;
    if (!call) throw new Error(`${pattern}: use @Answers, which knows the call's shapes`);
    const run: CallHandler = async (request, context) => unwrapped(await handler(request, context));
    this.options.localCalls?.register(callPattern(call), run);
    this.calls.serve(call, run);
  }

  private async onLogEvent(delivery: LaneDelivery): Promise<void> {
    const address = parseEventSubject(delivery.message.subject);
    const handler = address && this.messageHandlers.get(eventPattern(address));
    // Not ours; its position is passed with the next one of ours.
    if (!handler) return;
    if (!delivery.position.eventId) throw new TerminalError('no_event_id', `no ce-id at ${delivery.position.sequence}`);
    await unwrapped(await handler(decode(delivery), delivery));
  }

  private async onIntentMessage(delivery: LaneDelivery): Promise<void> {
    const handler = this.messageHandlers.get(INTENT_PATTERN);
    if (handler) await unwrapped(await handler(delivery.message, delivery));
  }

  on(): never {
    throw new Error('troubles go to onTrouble');
  }

  unwrap<T>(): T {
    return this.options.connection as T;
  }
}

/** What cannot be read cannot be read again: it is rejected, with the reason. */
function decode(delivery: LaneDelivery): StoredEvent {
  try {
    return decodeMessages(delivery.pages);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new TerminalError(code ?? 'bad_json', message, { cause: error });
  }
}

async function unwrapped(result: unknown): Promise<unknown> {
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
