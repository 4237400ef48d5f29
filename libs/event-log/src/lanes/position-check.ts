import type { JetStreamManager } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import { leaderGet } from '../newest-whole.js';
import type { Position } from './position.js';

/** Asks the stream whether the events that positions name still stand where they stood. */
export class PositionCheck {
  constructor(
    private readonly jsm: JetStreamManager,
    private readonly stream: string,
    private readonly idOf: (headers: MsgHdrs | undefined) => string,
  ) {}

  async lastSequence(): Promise<number> {
    return (await this.jsm.streams.info(this.stream)).state.last_seq;
  }

  /** The newest message under a filter, be it half of an event. From the leader: a lagging replica would make us skip events. */
  async newestUnder(filter: string): Promise<number | undefined> {
    return (await leaderGet(this.jsm, this.stream, { last_by_subj: filter }))?.seq;
  }

  /** Direct get first (any replica, cheap); only a match counts there, else the leader decides. */
  async stands(position: Position, last: number): Promise<boolean> {
    if (position.sequence > last) return false;
    const direct = await this.jsm.direct.getMessage(this.stream, { seq: position.sequence }).catch(() => null);
    if (direct && this.idOf(direct.header) === position.eventId) return true;
    const message = await leaderGet(this.jsm, this.stream, { seq: position.sequence });
    return message !== null && this.idOf(message.header) === position.eventId;
  }

  /** A restored stream is a prefix of the old one and then differs, so "stands" is monotonic: bisect. `trail`: newest first. */
  async lastMatching(trail: readonly Position[], last: number): Promise<Position | undefined> {
    let low = 0;
    let high = trail.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (await this.stands(trail[middle]!, last)) high = middle;
      else low = middle + 1;
    }
    return trail[low];
  }
}
