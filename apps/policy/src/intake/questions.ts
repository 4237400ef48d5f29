import type { BlobHash, WorkspacePath } from '@retrace/contracts';
import type { Outside } from '../ports/outside.port.js';
import type { PolicyTimings } from '../timings.js';
import { askUntil } from './ask-until.js';
import type { HeldIntent } from './held-intent.js';

/** Answers asked for one attempt; a decision that still needs more goes round in circles. */
const MAX_QUESTIONS = 8;

/** Asks other services what a decision needs, and lets the held intent know. */
export class Questions {
  constructor(
    private readonly outside: Outside,
    private readonly timings: PolicyTimings,
    private readonly stop: AbortSignal,
  ) {}

  /** How long nothing passes an intent that waits for execution or rollback. */
  blockMs(held: HeldIntent): number {
    return Math.max(0, this.askedAt(held) + this.timings.factsParkMs - performance.now());
  }

  async facts(held: HeldIntent, paths: readonly WorkspacePath[], follow: boolean): Promise<void> {
    const { workspace } = held.sender;
    const answer = await this.ask(held, () => this.outside.facts(workspace, paths, follow));
    if (answer === 'unavailable') return held.learn({ facts: 'unavailable' });
    const known = held.findings.facts;
    const before = known !== undefined && known !== 'unavailable' && known.follow === follow ? known.byPath : [];
    held.learn({ facts: { follow, byPath: new Map([...before, ...answer]) } });
  }

  async plan(held: HeldIntent, planHash: string): Promise<void> {
    held.learn({ plan: await this.ask(held, () => this.outside.plan(held.sender.workspace, planHash)) });
  }

  /** The other side waits as well; one that does not is asked again. */
  async blobs(held: HeldIntent, hashes: readonly BlobHash[]): Promise<void> {
    const { workspace, principal } = held.sender;
    const { retryMs, blobWaitMs } = this.timings;
    const deadline = held.arrivedAt + blobWaitMs;
    const ask = async (): Promise<BlobHash[]> => {
      const waitMs = Math.max(0, deadline - performance.now());
      const missing = await this.outside.missing(workspace, principal, hashes, waitMs);
      if (missing.length > 0 && performance.now() < deadline) throw new Error('not all there yet');
      return missing;
    };
    // The last answer comes a little after the deadline.
    const patience = { deadline: Math.max(deadline, performance.now()) + 4 * retryMs, retryMs };
    const missing = await askUntil(ask, { ...patience, signal: this.signal(held) });
    held.learn({ blobs: missing === 'unavailable' ? missing : { missing } });
  }

  private async ask<T>(held: HeldIntent, ask: () => Promise<T>): Promise<T | 'unavailable'> {
    const { factsGiveUpMs, retryMs } = this.timings;
    const deadline = this.askedAt(held) + factsGiveUpMs;
    if (++held.questions > MAX_QUESTIONS) return 'unavailable';
    const answer = await askUntil(ask, { deadline, retryMs, signal: this.signal(held) });
    if (answer !== 'unavailable') held.askedAt = undefined;
    return answer;
  }

  private askedAt(held: HeldIntent): number {
    return (held.askedAt ??= performance.now());
  }

  private signal(held: HeldIntent): AbortSignal {
    return AbortSignal.any([held.signal, this.stop]);
  }
}
