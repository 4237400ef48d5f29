/** Runs at most `limit` tasks at once, the others in the order they came. A task that finds room starts at once. */
export class Limiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running < this.limit) return this.start(task);
    return new Promise<void>((resolve) => this.waiting.push(resolve)).then(() => this.start(task));
  }

  private async start<T>(task: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }
}
