import type { EncodedEvent, EventEnvelope, StoredEvent } from '@retrace/contracts';
import type { StreamMessage } from '../pages/stream-message.js';

/** What is kept: enough for the events that are on their way between services of one process. */
const MOST_EVENTS = 2_048;
const MOST_BYTES = 16 << 20;
const KEPT_MS = 5_000;

interface Recent {
  readonly subject: string;
  readonly bodies: readonly Buffer[];
  readonly event: EventEnvelope;
  readonly bytes: number;
  /** By the clock of `performance.now()`, ms. */
  readonly at: number;
}

/**
 * What this process published a moment ago, as it was parsed then. A service of the same process that reads it back
 * from the log, byte for byte, need not parse it again. Whoever is handed an event shares it: nobody changes it.
 */
export class RecentEvents {
  private readonly byId = new Map<string, Recent>();
  private bytes = 0;
  private sweep: NodeJS.Timeout | undefined;

  /** `event`: as `encodeEvent` parsed it. `bodies`: of its messages, first page to last. */
  remember({ id, ...event }: EventEnvelope, messages: readonly EncodedEvent[], bodies: readonly Buffer[]): void {
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    if (bytes > MOST_BYTES) return;
    this.forget(id);
    this.byId.set(id, { subject: messages[0]!.subject, bodies, event: { id, ...event }, bytes, at: performance.now() });
    this.bytes += bytes;
    for (const oldest of this.byId.keys()) {
      if (this.byId.size <= MOST_EVENTS && this.bytes <= MOST_BYTES) break;
      this.forget(oldest);
    }
    this.sweep ??= setTimeout(() => this.forgetOld(), KEPT_MS).unref();
  }

  /** The event whose messages these are, all of them; `undefined` where they are not what was published here. */
  recall(pages: readonly StreamMessage[]): StoredEvent | undefined {
    const last = pages.at(-1)!;
    const recent = this.byId.get(last.headers?.get('ce-id') ?? '');
    if (recent?.subject !== last.subject || recent.event.type !== last.headers?.get('ce-type')) return undefined;
    if (recent.bodies.length !== pages.length) return undefined;
    if (!pages.every(({ data }, i) => data !== undefined && recent.bodies[i]!.equals(data))) return undefined;
    return { ...recent.event, sequence: last.seq } as StoredEvent;
  }

  private forgetOld(): void {
    this.sweep = undefined;
    const old = performance.now() - KEPT_MS;
    for (const [id, { at }] of this.byId) if (at <= old) this.forget(id);
    if (this.byId.size > 0) this.sweep = setTimeout(() => this.forgetOld(), KEPT_MS).unref();
  }

  private forget(id: string): void {
    const known = this.byId.get(id);
    if (!known) return;
    this.byId.delete(id);
    this.bytes -= known.bytes;
  }
}

/** Of this process. */
export const recentEvents = new RecentEvents();
