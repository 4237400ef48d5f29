/** Where a lane stands: its newest folded sequence, and how many messages of it were folded or passed by. */
export interface LaneProgress {
  readonly sequence: number;
  readonly messages: number;
}

const NOTHING: LaneProgress = { sequence: 0, messages: 0 };

/** How far the lanes are, in memory: told after each commit, so never ahead of the store. */
export class Progress {
  private lanes = new Map<string, LaneProgress>();
  private waiting = new Set<() => void>();
  private ended = false;

  of(lane: string): LaneProgress {
    return this.lanes.get(lane) ?? NOTHING;
  }

  set(lane: string, { sequence, messages }: LaneProgress): void {
    this.lanes.set(lane, { sequence, messages });
    this.look();
  }

  reset(lane: string): void {
    this.lanes.delete(lane);
  }

  /** The newest folded sequence of all lanes. */
  newest(): number {
    return Math.max(0, ...[...this.lanes.values()].map(({ sequence }) => sequence));
  }

  /** Messages of all lanes that are folded or passed by. */
  total(): number {
    return [...this.lanes.values()].reduce((sum, { messages }) => sum + messages, 0);
  }

  /** Whether every lane is at least as far as it is there. */
  covers(other: Progress): boolean {
    return [...other.lanes].every(([lane, { sequence }]) => this.of(lane).sequence >= sequence);
  }

  /** Stands from now on for the other's lanes too: whoever waits here hears what is told there. */
  adopt(other: Progress): void {
    this.lanes = other.lanes;
    other.waiting = this.waiting;
    this.look();
  }

  /** Answers whether the lane reached the sequence within `ms`. */
  reached(lane: string, sequence: number, ms: number): Promise<boolean> {
    return this.until(() => this.of(lane).sequence >= sequence, ms);
  }

  /** Answers whether something came true within `ms`; asks again whenever a lane moves. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    if (this.ended) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (came: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
        resolve(came);
      };
      const look = (): void => {
        if (condition()) end(true);
        else if (this.ended) end(false);
      };
      const timer = setTimeout(end, ms, false);
      this.waiting.add(look);
    });
  }

  /** Nobody waits any longer: the service ends. */
  endWaiting(): void {
    this.ended = true;
    this.look();
  }

  private look(): void {
    for (const look of this.waiting) look();
  }
}
