/** Runs the given work as one transaction; throws, with nothing of it kept, when it cannot. */
export type Transaction = (work: () => void) => void;

interface Member {
  readonly work: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Lets what several workspaces commit within one turn of the event loop share a transaction, and with it one sync.
 * Work is done in the order it came.
 */
export class GroupCommit {
  private members: Member[] = [];

  constructor(private readonly transaction: Transaction) {}

  /** Resolves once the work is committed. Rejects with its own error; others of the group are not touched by it. */
  commit(work: () => void): Promise<void> {
    return new Promise((done, failed) => {
      if (this.members.push({ work, done, failed }) === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits what waits now; call it before anything that must come after. */
  flush(): void {
    const group = this.members;
    this.members = [];
    if (group.length === 0) return;
    try {
      this.transaction(() => group.forEach(({ work }) => work()));
    } catch {
      // One of them, or the disk, is in the way: each is told by itself.
      return group.forEach((member) => this.alone(member));
    }
    for (const { done } of group) done();
  }

  private alone({ work, done, failed }: Member): void {
    try {
      this.transaction(work);
    } catch (error) {
      return failed(error);
    }
    done();
  }
}
