/** Lets others wait for work in flight to end. */
export class Endings {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Something of the workspace ended. */
  happened(workspace: string): void {
    const waiting = this.waiting.get(workspace);
    this.waiting.delete(workspace);
    for (const look of waiting ?? []) look();
  }

  /** Looks after each ending in the workspace; answers whether it was `done` before the signal came. */
  async until(workspace: string, done: () => boolean, signal: AbortSignal): Promise<boolean> {
    while (!done()) {
      if (signal.aborted) return false;
      await this.next(workspace, signal);
    }
    return true;
  }

  private next(workspace: string, signal: AbortSignal): Promise<void> {
    const waiting = this.waiting.get(workspace) ?? new Set();
    this.waiting.set(workspace, waiting);
    return new Promise((resolve) => {
      const look = (): void => {
        signal.removeEventListener('abort', look);
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      signal.addEventListener('abort', look);
    });
  }
}
