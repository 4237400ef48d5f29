import type { EncodedEvent, EventId } from '@retrace/contracts';

/** One message as it went over the wire. */
export interface WireMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An event as it was published: of one in pages all of them, in order. */
export interface RememberedEvent {
  readonly id: EventId;
  /** The event that caused it. What an intent caused has none: an intent never stands in the log. */
  readonly cause: string | undefined;
  readonly subject: string;
  readonly messages: readonly WireMessage[];
  /** When it was published; ms since 1970. */
  readonly at: number;
  /** A sequence that the log had by then: it stands behind that. */
  readonly after: number;
}

/** The number that a remembered event has here: in the order of publishing. */
export type TailNumber = number;

export interface Unplaced {
  readonly number: TailNumber;
  /** Where the log put its last page; `undefined`: the log has not answered. */
  readonly sequence: number | undefined;
}

export interface Placed extends Unplaced {
  readonly sequence: number;
}

export const isPlaced = (one: Unplaced): one is Placed => one.sequence !== undefined;

export const rememberedEvent = (
  messages: readonly EncodedEvent[],
  bodies: readonly Uint8Array[],
  after: number,
): RememberedEvent => {
  const { subject, headers } = messages[0]!;
  return {
    id: headers['ce-id'] as EventId,
    cause: causeOf(headers['ce-causationid']),
    subject,
    messages: messages.map((message, i) => ({ headers: message.headers, body: bodies[i]! })),
    at: Date.now(),
    after,
  };
};

const causeOf = (causation: string | undefined): string | undefined =>
  causation?.startsWith('evt_') ? causation : undefined;
