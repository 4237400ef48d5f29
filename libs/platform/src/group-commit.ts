/**
 * Runs the given work as one transaction; throws or rejects, with nothing of it kept, when it cannot. Where it is a
 * promise, the work is committed once that resolves.
 */
export type Transaction = (work: () => void) => unknown;

interface Member {
  readonly work: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Lets what is to be committed within one turn of the event loop, or within a moment, share a transaction, and with it
 * one sync. Work is done in the order it came.
 */
export class GroupCommit {
  private members: Member[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** `waitMs`: how long work waits for others (0: to the end of the turn). */
  constructor(
    private readonly transaction: Transaction,
    private readonly waitMs = 0,
  ) {}

  /** Resolves once the work is committed. Rejects with its own error; others of the group are not touched by it. */
  commit(work: () => void): Promise<void> {
    return new Promise((done, failed) => {
      if (this.members.push({ work, done, failed }) > 1) return;
      if (this.waitMs === 0) setImmediate(() => this.flush());
      else this.timer = setTimeout(() => this.flush(), this.waitMs);
    });
  }

  /** Commits what waits now; call it before anything that must come after. */
  flush(): void {
    clearTimeout(this.timer);
    const group = this.members;
    this.members = [];
    if (group.length === 0) return;
    const all = (): void => group.forEach(({ work }) => work());
    // One of them, or the disk, may be in the way: then each is told by itself.
    attempt(
      () => this.transaction(all),
      () => group.forEach(({ done }) => done()),
      () => group.forEach((member) => this.alone(member)),
    );
  }

  private alone({ work, done, failed }: Member): void {
    attempt(() => this.transaction(work), done, failed);
  }
}

/** At once where the transaction is synchronous: what comes after a flush must find it done. */
function attempt(transaction: () => unknown, onKept: () => void, onRefused: (error: unknown) => void): void {
  let result: unknown;
  try {
    result = transaction();
  } catch (error) {
    return onRefused(error);
  }
  if (result instanceof Promise) result.then(onKept, onRefused);
  else onKept();
}
