import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Intent,
  type IntentId,
  intentSubject,
  outcomeSubject,
  type Principal,
  QueryOutcome,
  type WorkspaceName,
} from '@retrace/contracts';
import { AckedPublisher, newId, PageJoiner, type WholeMessage } from '@retrace/event-log';
import type { CallClient } from '@retrace/messaging/client';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { IntentNotSent, OutcomeUnknown } from '../errors.js';
import { encodeIntent } from './encode-intent.js';
import { IntentLane } from './intent-lane.js';
import { PendingIntents } from './pending-intents.js';
import type { IntentEnd, Settled } from './settled.js';
import { type Ask, type OutcomeAnswer, wholeOutcome } from './whole-outcome.js';

const ACK_TIMEOUT_MS = 10_000;
const LAST_QUESTION_MS = 2_000;
/** After a reconnect projection may still be behind: it is asked again. */
const RECOVERY_PAUSES_MS = [0, 250, 1_000, 2_000, 4_000, 8_000, 16_000];

export interface DeskAddress {
  readonly connection: NatsConnection;
  readonly calls: CallClient;
  readonly principal: Principal;
  readonly workspace: WorkspaceName;
}

export interface SubmitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Brings the content; begun in the same turn in which the intent is published. */
  readonly upload?: (() => Promise<unknown>) | undefined;
  /** The id was sent before: its outcome may be there already. */
  readonly again?: boolean | undefined;
}

/** Where intents of one principal in one workspace are handed in, and their outcomes are heard. */
export class IntentDesk {
  private readonly pending = new PendingIntents();
  private readonly lane: IntentLane;
  private readonly pages = new PageJoiner();
  private readonly reconnects = new Set<() => void>();
  private subscription: Subscription | undefined;
  private closed = false;

  private constructor(private readonly at: DeskAddress) {
    const publisher = new AckedPublisher(at.connection, ACK_TIMEOUT_MS);
    const subject = intentSubject(at.workspace, at.principal);
    this.lane = new IntentLane(
      (body) => publisher.publish(subject, body),
      (id, error) => this.pending.reject(id, error),
    );
  }

  /** Resolves once the server has the subscription: no outcome of a later intent is missed. */
  static async open(at: DeskAddress): Promise<IntentDesk> {
    const desk = new IntentDesk(at);
    desk.subscription = at.connection.subscribe(outcomeSubject(at.workspace, at.principal), {
      callback: (error, message) => void (error ?? desk.hear(message)),
    });
    void desk.watch();
    await at.connection.flush();
    return desk;
  }

  /**
   * Hands an intent in; it is published before this returns its promise, so that calls keep their order. Rejects with
   * {@link IntentNotSent}, IntentDeniedError, OperationFailedError, UploadFailedError or {@link OutcomeUnknown}.
   * An aborted signal withdraws the intent; the promise still tells what became of it.
   */
  async submit(intent: Intent, { timeoutMs, signal, upload, again }: SubmitOptions): Promise<Settled> {
    signal?.throwIfAborted();
    const id = intent.intent_id;
    if (this.closed) throw new IntentNotSent('unavailable', 'this connection is closed: connect again');
    if (this.pending.has(id)) throw new IntentNotSent('malformed_intent', `${id} is waited for already`);
    const body = encodeIntent(intent);
    const settled = this.pending.add(id, timeoutMs, () => void this.expire(id, timeoutMs));
    upload?.().catch((error: unknown) => this.uploadFailed(id, error));
    this.lane.send(id, body);
    const withdraw = (): void => this.withdraw(id);
    signal?.addEventListener('abort', withdraw, { once: true });
    if (again) void this.recover([id]);
    try {
      return await settled;
    } finally {
      signal?.removeEventListener('abort', withdraw);
      this.lane.forget(id);
    }
  }

  /** Asks projection what became of an intent; whoever waits for it here hears of it too. */
  async outcome(id: IntentId, timeoutMs?: number): Promise<OutcomeAnswer> {
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    const ask: Ask = (call, request) => this.at.calls.call(call, this.at.workspace, request, options);
    const answer = await wholeOutcome(await ask(QueryOutcome, { intent_id: id }), ask);
    const { type, data, sequence } = answer;
    if (type !== null && sequence !== null) this.pending.take(id, { type, data, sequence });
    return answer;
  }

  /** Hears how an intent ended, however late. Answers how to stop listening. */
  whenEnded(id: IntentId, onEnd: (end: IntentEnd) => void): () => void {
    return this.pending.listen(id, onEnd);
  }

  /** Withdraws an intent and answers how it ended. Rejects with {@link OutcomeUnknown}. */
  async cancel(id: IntentId, timeoutMs: number): Promise<IntentEnd> {
    let stop = (): void => undefined;
    const ended = new Promise<IntentEnd>((resolve) => (stop = this.whenEnded(id, resolve)));
    const late = sleep(timeoutMs, undefined, { ref: false });
    this.withdraw(id);
    void this.recover([id]);
    try {
      const end = await Promise.race([ended, late]);
      if (end === undefined) throw new OutcomeUnknown(id, `no outcome in ${timeoutMs} ms after it was withdrawn`);
      return end;
    } finally {
      stop();
    }
  }

  /** Resolves at the next reconnect: answers that were on their way are lost then. */
  nextReconnect(): { readonly happened: Promise<void>; readonly forget: () => void } {
    let tell = (): void => undefined;
    const happened = new Promise<void>((resolve) => (tell = resolve));
    this.reconnects.add(tell);
    return { happened, forget: () => void this.reconnects.delete(tell) };
  }

  /** Stops listening; whoever still waits learns that the outcome is unknown. */
  close(): void {
    this.closed = true;
    this.subscription?.unsubscribe();
    for (const id of this.pending.ids()) this.pending.reject(id, new OutcomeUnknown(id, 'the connection was closed'));
  }

  /** Every message passes the joiner: it tells by the order of arrival which pages belong together. */
  private hear(message: Msg): void {
    const whole = this.joined(message);
    const id = whole?.header('ce-correlationid') as IntentId | undefined;
    if (!whole || !id || !this.pending.concerns(id)) return;
    const data = whole.json ?? parseJson(whole.body ?? '');
    this.pending.take(id, { type: whole.header('ce-type') ?? '', data, sequence: sequenceOf(message) });
  }

  /** Pages that do not fit together are no outcome; whoever waits asks for it in the end. */
  private joined(message: Msg): WholeMessage | undefined {
    const header = (name: string): string | undefined => message.headers?.get(name) || undefined;
    try {
      return this.pages.add({ subject: message.subject, header, body: message.string() });
    } catch {
      return undefined;
    }
  }

  /** Nothing else is done about an intent that is in doubt: it may be decided at any moment. */
  private withdraw(withdrawn: IntentId): void {
    const intent_id = newId('int');
    this.lane.send(intent_id, encodeIntent({ type: 'withdraw', intent_id, withdrawn_intent_id: withdrawn }), true);
  }

  private uploadFailed(id: IntentId, error: unknown): void {
    if (!this.pending.has(id)) return;
    this.pending.noteUploadError(id, error);
    this.withdraw(id);
  }

  /** Asks once before giving up: the outcome may have been missed. */
  private async expire(id: IntentId, timeoutMs: number): Promise<void> {
    if (await this.ask(id, LAST_QUESTION_MS)) return;
    const cause = this.pending.uploadErrorOf(id);
    this.pending.reject(
      id,
      new OutcomeUnknown(id, `no outcome in ${timeoutMs} ms`, cause === undefined ? {} : { cause }),
    );
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.at.connection.status()) {
      if (this.closed) return;
      if (type === 'disconnect') this.lane.disconnected();
      if (type === 'reconnect') {
        this.pages.clear();
        this.lane.reconnected();
        void this.recover(this.pending.ids());
        for (const tell of this.reconnects) tell();
        this.reconnects.clear();
      }
    }
    this.close();
  }

  /** Outcomes published while nobody listened are asked for. */
  private async recover(ids: readonly IntentId[]): Promise<void> {
    for (const pause of RECOVERY_PAUSES_MS) {
      await sleep(pause, undefined, { ref: false });
      const open = ids.filter((id) => this.pending.concerns(id));
      if (open.length === 0) return;
      for (const id of open) if (this.pending.concerns(id)) await this.ask(id);
    }
  }

  /** Answers whether projection knew how the intent ended. One that cannot be asked knows nothing. */
  private async ask(id: IntentId, timeoutMs?: number): Promise<boolean> {
    await this.outcome(id, timeoutMs).catch(() => undefined);
    return !this.pending.has(id);
  }
}

const sequenceOf = (message: Msg): number => Number(message.headers?.get('Nats-Sequence'));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
