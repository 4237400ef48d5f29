import type { LogicalOperationId, WorkspaceName } from '@retrace/contracts';
import { TerminalError } from '@retrace/event-log';
import { redactIntent } from '../domain/redact-intent.js';
import type { Refusal } from '../domain/decision-events.js';
import type { OpenedRow, RowReader, StaleRow } from '../domain/rows.js';
import type { TextRedactor } from '../ports/redactor.port.js';
import type { DecisionMaker } from './decision-maker.js';
import type { DoorKeeper } from './door-keeper.js';
import { HeldIntent, keyOf, type Sender } from './held-intent.js';
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

export interface IntakeLimits {
  /** Held undecided; more wait in the stream. */
  readonly maxHeld: number;
  /** Of one principal in one workspace, once so many are held. */
  readonly maxHeldEach: number;
}

/**
 * Holds undecided intents in one queue per workspace and principal. What is held here stands in the stream as well. One
 * that was answered before is seen as such when its turn comes, once it is certain that the log still holds the answer.
 */
export class Intake {
  private readonly queues = new Map<string, IntentQueue<HeldIntent>>();
  /** What is refused unseen, beside the queue that is too long. */
  private readonly refusals = new Map<string, IntentQueue<HeldIntent>>();
  private readonly held = new Map<string, HeldIntent>();
  /** Held, and not met yet since the stream is read anew. */
  private unmet = new Set<HeldIntent>();
  private readonly room: Room;

  constructor(
    private readonly maker: Pick<DecisionMaker, 'advance' | 'prepare'>,
    private readonly rows: RowReader,
    private readonly redactor: TextRedactor,
    private readonly watermark: Watermark,
    private readonly door: Pick<DoorKeeper, 'answered'>,
    private readonly limits: IntakeLimits,
  ) {
    this.room = new Room(() => this.hasRoom() || this.shed());
  }

  /** Takes a message in and returns; waits while too many are held. Throws {@link TerminalError} where nobody can be answered. */
  async take(message: DoorMessage, signal: AbortSignal): Promise<void> {
    const read = readIntent(message.subject, message.body);
    if (read.kind === 'unreadable') throw new TerminalError(read.reason, read.message);
    await this.room.enter(signal);
    const { sender } = read;
    const known = this.held.get(keyOf(sender, read.intent.intent_id));
    if (known && this.meets(known, message.sequence)) {
      known.messageOpen = true;
      return this.watermark.taken(message.sequence);
    }
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

  /** The connection went: the stream is read again, and may have lost what was taken from it. */
  lost(): void {
    this.unmet = new Set(this.held.values());
  }

  /** A message that is read again, or the one that took the place of a lost one. */
  private meets(known: HeldIntent, sequence: number): boolean {
    const first = this.unmet.delete(known);
    if (known.inSequence === sequence) return true;
    // Messages come in order: its own would have come before a second one of the same intent.
    if (!first) return false;
    this.watermark.done(known.inSequence);
    known.inSequence = sequence;
    return true;
  }

  /** Decides an intent again that execution sent back; at the end of an earlier attempt, if that is still held. */
  redecide(workspace: WorkspaceName, row: StaleRow): void {
    this.takeUp(HeldIntent.sentBack(workspace, row));
  }

  /** Aborts a logical operation that is over its time: in its agent's queue, so that nothing else ends it meanwhile. */
  timeOut(workspace: WorkspaceName, id: LogicalOperationId, row: OpenedRow): void {
    this.takeUp(HeldIntent.timedOut(workspace, id, row));
  }

  private takeUp(held: HeldIntent): void {
    if (this.held.has(held.key)) return;
    this.held.set(held.key, held);
    this.queueOf(held.sender).push(held);
  }

  /** Passed by without a decision of its own: answered before, sent twice, or of no further meaning. */
  passedBy(sequence: number): void {
    this.watermark.taken(sequence);
    this.answered(sequence);
  }

  /** Resolves when no decision is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.queues.values(), ...this.refusals.values()].map((queue) => queue.settled()));
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
    this.held.set(held.key, held);
    this.maker.prepare(held);
    this.queueOf(held.sender).push(held);
  }

  private hasRoom(): boolean {
    return this.held.size < this.limits.maxHeld;
  }

  /** Nobody's waiting intents keep everybody else's out: beyond a sender's share they are refused. Answers `false`. */
  private shed(): boolean {
    for (const queue of this.queues.values())
      for (const held of queue.shed(this.limits.maxHeldEach)) {
        // Nobody sent it, so nobody can be refused.
        if (held.request.kind === 'timeout') {
          this.held.delete(held.key);
          continue;
        }
        const refused = held.refused(tooMany(this.limits.maxHeldEach));
        this.held.set(refused.key, refused);
        this.queueOf(refused.sender, this.refusals).push(refused);
      }
    return false;
  }

  private queueOf({ workspace, principal }: Sender, queues = this.queues): IntentQueue<HeldIntent> {
    const name = `${workspace} ${principal}`;
    const known = queues.get(name);
    if (known) return known;
    const queue = new IntentQueue<HeldIntent>(
      (held) => this.maker.advance(held),
      (held) => this.release(held),
      () => queues.delete(name),
      () => this.room.look(),
    );
    queues.set(name, queue);
    return queue;
  }

  private release(held: HeldIntent): void {
    this.held.delete(held.key);
    this.unmet.delete(held);
    this.room.look();
    if (held.messageOpen) this.answered(held.inSequence);
    this.takeUpNext(held);
  }

  /** Execution may have sent an intent back while an earlier attempt of it was held: read again, or slow to be published. */
  private takeUpNext({ sender: { workspace, principal }, intentId, attempt }: HeldIntent): void {
    const row = this.rows.get('stale', [workspace, principal, intentId]);
    if (row && row.attempt > attempt) this.redecide(workspace, row);
  }

  private answered(sequence: number): void {
    this.watermark.done(sequence);
    this.door.answered();
  }
}

const tooMany = (most: number): Refusal => ({
  code: 'busy',
  message: `more than ${most} of your intents wait here; send a new intent once some of them are decided`,
  retryable: true,
});
