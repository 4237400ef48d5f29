import type { WorkspaceName } from '@retrace/contracts';
import { TerminalError } from '@retrace/event-log';
import { redactIntent } from '../domain/redact-intent.js';
import type { StaleRow } from '../domain/rows.js';
import type { TextRedactor } from '../ports/redactor.port.js';
import type { DecisionMaker } from './decision-maker.js';
import type { DoorKeeper } from './door-keeper.js';
import { HeldIntent, type Sender } from './held-intent.js';
import { IntentQueue } from './intent-queue.js';
import { readIntent } from './read-intent.js';
import { Room } from './room.js';
import type { Watermark } from './watermark.js';

/** One message of the agents' door. */
export interface DoorMessage {
  readonly subject: string;
  readonly body: Uint8Array;
  /** Its place in `RETRACE_IN`. */
  readonly sequence: number;
}

/**
 * Holds undecided intents in one queue per workspace and principal. What is held here stands in the stream as well. One
 * that was answered before is seen as such when its turn comes, once it is certain that the log still holds the answer.
 */
export class Intake {
  private readonly queues = new Map<string, IntentQueue<HeldIntent>>();
  private readonly held = new Map<string, HeldIntent>();
  private readonly room: Room;

  constructor(
    private readonly maker: DecisionMaker,
    private readonly redactor: TextRedactor,
    private readonly watermark: Watermark,
    private readonly door: DoorKeeper,
    maxHeld: number,
  ) {
    this.room = new Room(() => this.held.size < maxHeld);
  }

  /** Takes a message in and returns; waits while too many are held. Throws {@link TerminalError} where nobody can be answered. */
  async take(message: DoorMessage, signal: AbortSignal): Promise<void> {
    const read = readIntent(message.subject, message.body);
    if (read.kind === 'unreadable') throw new TerminalError(read.reason, read.message);
    await this.room.enter(signal);
    const { sender } = read;
    const known = this.held.get(keyOf(sender, read.intent.intent_id));
    // The stream is read again after a reconnect.
    if (known?.inSequence === message.sequence) return this.watermark.taken(message.sequence);
    if (known) return this.passedBy(message.sequence);
    if (read.kind === 'malformed') {
      const refusal = { ...read.refusal, message: this.redactor.redact(read.refusal.message) };
      return this.hold(HeldIntent.arrived(sender, { ...read, refusal }, message.sequence));
    }
    if (read.intent.type === 'withdraw') {
      this.withdraw(sender, read.intent.withdrawn_intent_id);
      return this.passedBy(message.sequence);
    }
    const intent = redactIntent(read.intent, (text) => this.redactor.redact(text));
    this.hold(HeldIntent.arrived(sender, { kind: 'intent', intent }, message.sequence));
  }

  /** Decides an intent again that execution sent back. */
  redecide(workspace: WorkspaceName, row: StaleRow): void {
    const held = HeldIntent.sentBack(workspace, row);
    const key = keyOf(held.sender, held.intentId);
    if (this.held.has(key)) return;
    this.held.set(key, held);
    this.queueOf(held.sender).pushFirst(held);
  }

  /** Passed by without a decision of its own: answered before, sent twice, or of no further meaning. */
  passedBy(sequence: number): void {
    this.watermark.taken(sequence);
    this.answered(sequence);
  }

  /** Resolves when no decision is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.settled()));
  }

  /** One that is decided already stays so; the sender hears of that decision. */
  private withdraw(sender: Sender, intentId: string): void {
    const held = this.held.get(keyOf(sender, intentId));
    if (!held) return;
    held.withdraw();
    this.queueOf(sender).wake();
  }

  private hold(held: HeldIntent): void {
    this.watermark.taken(held.inSequence);
    this.held.set(keyOf(held.sender, held.intentId), held);
    this.queueOf(held.sender).push(held);
  }

  private queueOf({ workspace, principal }: Sender): IntentQueue<HeldIntent> {
    const name = `${workspace} ${principal}`;
    const known = this.queues.get(name);
    if (known) return known;
    const queue = new IntentQueue<HeldIntent>(
      (held) => this.maker.advance(held),
      (held) => this.release(held),
      () => this.queues.delete(name),
    );
    this.queues.set(name, queue);
    return queue;
  }

  private release(held: HeldIntent): void {
    this.held.delete(keyOf(held.sender, held.intentId));
    this.room.left();
    // The message of a later attempt was answered by its first decision.
    if (held.attempt === 1) this.answered(held.inSequence);
  }

  private answered(sequence: number): void {
    this.watermark.done(sequence);
    this.door.answered();
  }
}

const keyOf = ({ workspace, principal }: Sender, intentId: string): string => `${workspace} ${principal} ${intentId}`;
