import type { LaneMessage } from './lane-message.js';

export interface SourceOptions {
  /** The first sequence that is wanted. */
  readonly start: number;
  readonly filters: readonly string[];
  /** `false`: whatever the stream holds, from its first message. */
  readonly verify: boolean;
  /** The stream may have lost what was read: positions are to be verified. */
  readonly onReset: () => void;
}

/** Messages of a stream, in order, from a sequence on. */
export interface OpenedMessages {
  /** What has arrived, at least one message; `undefined`: there is no more to come from here. */
  next(): Promise<readonly LaneMessage[] | undefined>;
  /** Ends a `next` that waits. */
  stop(): void;
  close(): void;
}

/** Where lanes get their messages from. */
export interface MessageSource {
  open(options: SourceOptions): Promise<OpenedMessages>;
}
