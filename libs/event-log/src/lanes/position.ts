/** Where a reader stands: the sequence, and the id of the event that stood there when it was handled. */
export interface Position {
  readonly sequence: number;
  readonly eventId: string;
}

/** The positions of one service, in its own store: each is written in the transaction of the effect that it stands for. */
export interface PositionStore {
  load(lane: string): Promise<Position | undefined> | Position | undefined;
  /** Earlier positions, newest first, as thin as you like: a rewind finds its last matching one here. */
  trail?(lane: string): Promise<readonly Position[]> | readonly Position[];
}
