import { setTimeout as sleep } from 'node:timers/promises';
import type { EventEnvelope } from '@retrace/contracts';
import { type Appended, appendOnce, type EventLog } from '@retrace/event-log';

const RETRY_MS = 200;

/** Publishes what policy says, exactly once as far as the log can tell. */
export class DecisionPublisher {
  private lastOwn = 1;
  /** When all that was asked for so far stands in the log, or never will. */
  private settled: Promise<unknown> = Promise.resolve();
  private held: Promise<unknown> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly stop: AbortSignal,
    private readonly onTrouble: (message: string) => void,
  ) {}

  /** Nothing of this process stands before a sequence. */
  startAt(sequence: number): void {
    this.lastOwn = Math.max(1, sequence);
  }

  /**
   * Publishes and answers where the event stands: in the order of the calls, several on their way at a time. Retries while
   * the log does not answer, after looking whether an earlier try arrived; rejects when the event itself is refused or the
   * service stops.
   */
  publish(event: EventEnvelope): Promise<Appended> {
    const earlier = this.settled;
    const published = this.inOrder(event, earlier);
    // Its value would hold all earlier ones.
    this.settled = Promise.allSettled([earlier, published]).then(() => undefined);
    return published;
  }

  /** What is on its way may be lost: what comes later waits until that has arrived. */
  hold(): void {
    this.held = this.settled;
  }

  private async inOrder(event: EventEnvelope, earlier: Promise<unknown>): Promise<Appended> {
    if (this.held) await this.held;
    const from = this.lastOwn;
    const appended = await this.firstTry(event);
    if (!appended) await earlier;
    const at = appended ?? { sequence: await this.again(event, from), duplicate: false };
    this.lastOwn = Math.max(this.lastOwn, at.sequence);
    return at;
  }

  private async firstTry(event: EventEnvelope): Promise<Appended | undefined> {
    try {
      return await this.log.append(event);
    } catch (error) {
      this.refuseOrReport(event, error);
      this.hold();
      return undefined;
    }
  }

  private async again(event: EventEnvelope, from: number): Promise<number> {
    for (;;) {
      this.stop.throwIfAborted();
      try {
        return await appendOnce(this.log, event, from, this.stop);
      } catch (error) {
        this.refuseOrReport(event, error);
        await sleep(RETRY_MS, undefined, { signal: this.stop });
      }
    }
  }

  private refuseOrReport(event: EventEnvelope, error: unknown): void {
    if (isRefusal(error)) throw error;
    this.stop.throwIfAborted();
    this.onTrouble(`${event.id} is not in the log yet: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** JetStream: the message is larger than the stream takes. Everything else that it says may pass. */
const TOO_LARGE = 10054;

/** The event is not of the catalogue's form, or the stream will never take it: trying again changes nothing. */
const isRefusal = (error: unknown): boolean => {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return code === TOO_LARGE || name === 'ZodError' || name === '$ZodError' || name === 'RetraceError';
};
