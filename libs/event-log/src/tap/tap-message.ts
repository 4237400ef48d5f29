import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import type { LaneMessage } from '../lanes/lane-message.js';

/** A message that the server republished: its place and subject in the stream stand in its headers. */
export class TapMessage implements LaneMessage {
  private text: string | undefined;

  private constructor(
    private readonly message: Msg,
    readonly headers: MsgHdrs,
    readonly seq: number,
    readonly subject: string,
  ) {}

  /** `undefined`: not republished from this stream. */
  static of(message: Msg, stream: string): TapMessage | undefined {
    const { headers } = message;
    const seq = Number(headers?.get('Nats-Sequence'));
    if (!headers || !(seq > 0) || headers.get('Nats-Stream') !== stream) return undefined;
    return new TapMessage(message, headers, seq, headers.get('Nats-Subject'));
  }

  get data(): Uint8Array {
    return this.message.data;
  }

  string(): string {
    return (this.text ??= this.message.string());
  }
}
