import type { MsgHdrs } from '@nats-io/transport-node';
import type { LaneMessage } from './lane-message.js';
import type { MessageSource } from './message-source.js';
import type { Position, PositionStore } from './position.js';
import type { Backoff } from './terminal-error.js';

/** One delivery of one message to its handler; of an event in pages once, with all of them. */
export interface LaneDelivery {
  /** The message; of an event in pages the last one, which is its place in the log. */
  readonly message: LaneMessage;
  /** All messages of the event, first to last; mostly one. `decodeMessages` reads them. */
  readonly pages: readonly LaneMessage[];
  readonly lane: string;
  readonly position: Position;
  /** From 1; grows while the message is retried in place. */
  readonly attempt: number;
  /** Aborted when the lane restarts or closes: an unfinished effect is then delivered again. */
  readonly signal: AbortSignal;
}

export interface LaneOptions {
  readonly stream: string;
  /** NATS filters of all lanes together; they must not overlap. */
  readonly filters: readonly string[];
  /** The lane of a subject; `undefined`: not ours. */
  readonly laneOf: (subject: string) => string | undefined;
  /** The lanes known at the start; {@link OrderedLanes.addLane} takes more in later. */
  readonly lanes: readonly string[];
  /** One subject filter that covers a lane: used to see whether anything new stands there. */
  readonly filterOf: (lane: string) => string;
  readonly positions: PositionStore;
  /** Where messages come from (an ordered consumer of the reader's own). */
  readonly source?: MessageSource;
  /** Commits the effect and the position in one transaction of the service's own store; returning means "committed". */
  readonly handle: (delivery: LaneDelivery) => Promise<void>;
  /** Publishes `message.rejected`, then commits the position. Retried in place like a handler. */
  readonly onRejected: (delivery: LaneDelivery, reason: string, error: unknown) => Promise<void>;
  /** Repairs the store back to `lastMatching` and stores that position; the lane loads and verifies it again. */
  readonly onRewind: (lane: string, lastMatching: Position | undefined) => Promise<void>;
  readonly onTrouble?: (where: 'retry' | 'lane' | 'rejected', error: unknown, delivery?: LaneDelivery) => void;
  /**
   * Waits for a log that ends before a position: resolves when it reaches the sequence again, or never will. Absent: what
   * a lane has read and the log has not is gone.
   */
  readonly recovered?: ((sequence: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** `false`: the stream loses what was answered (`RETRACE_IN`), so positions are not verified and reading starts at its first message. */
  readonly verify?: boolean;
  /** Default: `ce-id`. Asked of delivered messages and of those that positions name. */
  readonly eventId?: (message: { readonly headers?: MsgHdrs | undefined }) => string | undefined;
  readonly backoff?: Backoff;
  /** Messages waiting in one lane before the reader is held up. */
  readonly laneBuffer?: number;
  readonly bufferBytes?: number;
  /** How long a full lane may hold up the others, in ms. */
  readonly stallMs?: number;
}
