import type { LaneMessage } from '../lanes/lane-message.js';

export interface RingLimits {
  readonly messages: number;
  readonly bytes: number;
}

/** The newest messages of a stream without a gap, up to a bound. */
export class MessageRing<T extends LaneMessage> {
  /** `held[first]` is the oldest. */
  private held: (T | undefined)[] = [];
  private first = 0;
  private bytes = 0;
  /** The sequence that comes next; before it is known, nothing is held. */
  private nextSequence: number | undefined;

  constructor(private readonly limits: RingLimits) {}

  /** Everything from here on is held, or will be; `undefined`: unknown. */
  get oldest(): number | undefined {
    return this.nextSequence === undefined ? undefined : this.nextSequence - (this.held.length - this.first);
  }

  get next(): number | undefined {
    return this.nextSequence;
  }

  /** All that comes is at this sequence or behind it. */
  begin(sequence: number): void {
    this.clear();
    this.nextSequence = sequence;
  }

  /** False where messages are missing before this one, or where the stream went back: nothing before it is held then. */
  add(message: T): boolean {
    const follows = this.nextSequence === message.seq;
    if (!follows) this.begin(message.seq);
    this.held.push(message);
    this.bytes += message.data.length;
    this.nextSequence = message.seq + 1;
    this.trim();
    return follows;
  }

  /** The message at a sequence between `oldest` and `next`. */
  at(sequence: number): T {
    return this.held[this.first + sequence - this.oldest!]!;
  }

  clear(): void {
    this.held = [];
    this.first = 0;
    this.bytes = 0;
    this.nextSequence = undefined;
  }

  private trim(): void {
    const { messages, bytes } = this.limits;
    while (this.held.length - this.first > messages || (this.bytes > bytes && this.held.length - this.first > 1)) {
      this.bytes -= this.held[this.first]!.data.length;
      this.held[this.first] = undefined;
      this.first += 1;
    }
    if (this.first > messages) {
      this.held = this.held.slice(this.first);
      this.first = 0;
    }
  }
}
