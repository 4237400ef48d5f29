import type { MsgHdrs } from '@nats-io/transport-node';

/** A message of a stream as lanes need it, however it was heard of. */
export interface LaneMessage {
  readonly subject: string;
  readonly seq: number;
  readonly headers?: MsgHdrs | undefined;
  readonly data: Uint8Array;
  string(): string;
}
