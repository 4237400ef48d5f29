/** Where a lane stands: its newest folded sequence, and how many messages of it were folded or passed by. */
export interface LaneProgress {
  readonly sequence: number;
  readonly count: number;
}

const NOTHING: LaneProgress = { sequence: 0, count: 0 };

/** How far the lanes are, in memory: told after each commit, so never ahead of the store. */
export class Progress {
  private readonly lanes = new Map<string, LaneProgress>();
  private readonly waiting = new Set<() => void>();

  of(lane: string): LaneProgress {
    return this.lanes.get(lane) ?? NOTHING;
  }

  set(lane: string, { sequence, count }: LaneProgress): void {
    this.lanes.set(lane, { sequence, count });
    for (const look of this.waiting) look();
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
    return [...this.lanes.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Answers whether the lane reached the sequence within `ms`. */
  reached(lane: string, sequence: number, ms: number): Promise<boolean> {
    if (this.of(lane).sequence >= sequence) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (reached: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
        resolve(reached);
      };
      const look = (): void => {
        if (this.of(lane).sequence >= sequence) end(true);
      };
      const timer = setTimeout(end, ms, false);
      this.waiting.add(look);
    });
  }
}
