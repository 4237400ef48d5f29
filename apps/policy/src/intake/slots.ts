/** Places for what takes much memory: so many in all, and so many for one sender, who must not take them all. */
export class Slots {
  private readonly taken = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  private left: number;

  constructor(
    total: number,
    private readonly each: number,
  ) {
    this.left = total;
  }

  /** Answers how to give the place back, to be called once; `undefined`: the signal came before there was one. */
  async take(sender: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    while (this.left === 0 || this.of(sender) >= this.each) {
      if (signal.aborted) return undefined;
      await this.change(signal);
    }
    this.add(sender, 1);
    return () => this.add(sender, -1);
  }

  private of(sender: string): number {
    return this.taken.get(sender) ?? 0;
  }

  private add(sender: string, by: 1 | -1): void {
    this.left -= by;
    const now = this.of(sender) + by;
    if (now > 0) this.taken.set(sender, now);
    else this.taken.delete(sender);
    if (by < 0) for (const look of this.waiting) look();
  }

  private change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        signal.removeEventListener('abort', look);
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      signal.addEventListener('abort', look);
    });
  }
}
