import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, errorCodeOf, RetraceError, type RollbackPlan } from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import type { PendingAbort } from '../domain/pending-abort.js';

const RETRY_MS = 1000;
/** Tries of what fails for a reason that nobody foresaw. */
const MOST_TRIES = 30;
/** Another try would say the same. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['reply_too_large', 'bad_request']);
/** Somebody is not there, or not yet: that ends. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['not_ready', 'unavailable', 'timeout', 'busy', 'blob_store_closed']);

export interface AbortWork {
  waiting(): PendingAbort[];
  plan(pending: PendingAbort): Promise<RollbackPlan>;
  /** Keeps the plan and begins it. */
  begin(pending: PendingAbort, plan: RollbackPlan): void;
  /** Reports that it is not taken back, and why. */
  giveUp(pending: PendingAbort, refusal: { readonly code: ErrorCode; readonly message: string }): void;
}

/**
 * Plans how aborted logical operations are taken back. What cannot be planned now is tried again; what can never be is
 * reported as failed.
 */
export class AbortRunner {
  private readonly closed = new AbortController();
  /** Tries that failed, by rollback. */
  private readonly tries = new Map<string, number>();
  private running: Promise<void> | undefined;
  private again = false;

  constructor(
    private readonly work: AbortWork,
    private readonly onTrouble: (error: unknown, pending: PendingAbort) => void,
    private readonly retryMs = RETRY_MS,
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
      for (const pending of this.work.waiting()) if (!(await this.settled(pending))) failed = true;
      if (failed) await this.pause();
    }
  }

  /** One that cannot be planned must not hold up the others. */
  private async settled(pending: PendingAbort): Promise<boolean> {
    if (this.closed.signal.aborted) return true;
    const { rollback_id } = pending.authorization;
    try {
      await this.planned(pending);
      this.tries.delete(rollback_id);
      return true;
    } catch (error) {
      if (!this.closed.signal.aborted) this.onTrouble(error, pending);
      return false;
    }
  }

  private async planned(pending: PendingAbort): Promise<void> {
    try {
      const plan = await this.work.plan(pending);
      failpoint('abort.before-begin');
      this.work.begin(pending, plan);
    } catch (error) {
      if (this.closed.signal.aborted || !this.isFinal(pending, error)) throw error;
      this.onTrouble(error, pending);
      this.work.giveUp(pending, { code: errorCodeOf(error), message: reasonOf(pending, error) });
    }
  }

  private isFinal({ authorization: { rollback_id } }: PendingAbort, error: unknown): boolean {
    const code = errorCodeOf(error);
    if (PASSING.has(code) || !(error instanceof RetraceError || isMistake(error))) return false;
    const tries = (this.tries.get(rollback_id) ?? 0) + 1;
    this.tries.set(rollback_id, tries);
    return FINAL.has(code) || tries >= MOST_TRIES;
  }

  private async pause(): Promise<void> {
    await sleep(this.retryMs, undefined, { signal: this.closed.signal }).catch(() => undefined);
    this.again = true;
  }
}

/** A mistake in our own work, not a broker or a disk that fails for a while. */
const isMistake = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;

const reasonOf = ({ aborted }: PendingAbort, error: unknown): string =>
  `${aborted} was aborted and is not taken back: ${error instanceof Error ? error.message : String(error)}; ` +
  'what was applied stands: undo it path by path (retrace undo --path)';
