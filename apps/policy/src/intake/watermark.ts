/** Knows up to which sequence of `RETRACE_IN` everything is answered. */
export class Watermark {
  private readonly open = new Set<number>();
  private last = 0;

  /** A message was taken. Deliveries ascend; after a reconnect they begin again at the first message. */
  taken(sequence: number): void {
    this.last = sequence;
    this.open.add(sequence);
  }

  done(sequence: number): void {
    this.open.delete(sequence);
  }

  /** Until the stream is read again its numbers mean nothing: it may have been restored. */
  forgetLast(): void {
    this.last = 0;
  }

  /** 0: nothing can be removed. */
  low(): number {
    let low = this.last + 1;
    for (const sequence of this.open) if (sequence < low) low = sequence;
    return Math.max(0, low - 1);
  }
}
