/** Lets one after another in while there is room. */
export class Room {
  private waiting: (() => void) | undefined;

  constructor(private readonly hasRoom: () => boolean) {}

  /** Resolves when there is room; rejects with the signal's reason. For one caller at a time. */
  async enter(signal: AbortSignal): Promise<void> {
    while (!this.hasRoom()) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const done = (): void => {
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.waiting = done;
        signal.addEventListener('abort', done);
      });
    }
  }

  /** Looks again whether there is room. */
  look(): void {
    this.waiting?.();
  }
}
