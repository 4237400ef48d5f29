import { setTimeout as sleep } from 'node:timers/promises';
import type { RollbackPlan } from '@retrace/contracts';
import type { PendingAbort } from '../domain/pending-abort.js';

const RETRY_MS = 1000;

export interface AbortWork {
  waiting(): PendingAbort[];
  plan(pending: PendingAbort): Promise<RollbackPlan>;
  /** Keeps the plan and begins it. */
  begin(pending: PendingAbort, plan: RollbackPlan): void;
}

/** Plans how aborted logical operations are taken back. What cannot be planned now is tried again until it can. */
export class AbortRunner {
  private readonly closed = new AbortController();
  private running: Promise<void> | undefined;
  private again = false;

  constructor(
    private readonly work: AbortWork,
    private readonly onTrouble: (error: unknown, pending: PendingAbort) => void,
  ) {}

  /** Call it at the start and after each fold. */
  kick(): void {
    this.again = true;
    if (this.closed.signal.aborted) return;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      if (this.again) this.kick();
    });
  }

  /** Resolves when nothing is under way; what is left waits for the next start. */
  async close(): Promise<void> {
    this.closed.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.again && !this.closed.signal.aborted) {
      this.again = false;
      let failed = false;
      for (const pending of this.work.waiting()) if (!(await this.planned(pending))) failed = true;
      if (failed) await this.pause();
    }
  }

  /** One that cannot be planned must not hold up the others. */
  private async planned(pending: PendingAbort): Promise<boolean> {
    if (this.closed.signal.aborted) return true;
    try {
      this.work.begin(pending, await this.work.plan(pending));
      return true;
    } catch (error) {
      if (!this.closed.signal.aborted) this.onTrouble(error, pending);
      return false;
    }
  }

  private async pause(): Promise<void> {
    await sleep(RETRY_MS, undefined, { signal: this.closed.signal }).catch(() => undefined);
    this.again = true;
  }
}
