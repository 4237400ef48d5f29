import type { MsgHdrs } from '@nats-io/transport-node';

/** What a message of a stream has, of whichever kind it is. */
export interface StreamMessage {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  readonly seq: number;
  /** The body's bytes; where absent, what this process published itself is parsed like everything else. */
  readonly data?: Uint8Array;
  string(): string;
}
