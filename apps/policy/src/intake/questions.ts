import {
  type BlobHash,
  type Fact,
  type LogicalOperationId,
  MAX_PATHS_PER_LOGICAL_OPERATION,
  type OperationsBlob,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { Reach, Tree } from '../domain/decision-input.js';
import type { Outside } from '../ports/outside.port.js';
import type { PolicyTimings } from '../timings.js';
import { askUntil } from './ask-until.js';
import type { HeldIntent } from './held-intent.js';
import { readOperations } from './read-operations.js';
import { runInSlices } from './run-in-slices.js';

/** Answers asked for one attempt; a decision that still needs more goes round in circles. */
const MAX_QUESTIONS = 8;

/** What is authorized and not finished. Each answers `false` where the signal came first. */
export interface WorkInFlight {
  quiet(workspace: WorkspaceName, reaches: readonly Reach[], signal: AbortSignal): Promise<boolean>;
  outcomes(workspace: WorkspaceName, id: LogicalOperationId, signal: AbortSignal): Promise<boolean>;
}

/** Asks other services what a decision needs, and lets the held intent know. */
export class Questions {
  constructor(
    private readonly outside: Outside,
    private readonly work: WorkInFlight,
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

  /**
   * Looks at paths, and below those that are folders, once work in flight there has ended: what is found must be what the
   * operations will meet.
   */
  async trees(held: HeldIntent, reaches: readonly Reach[]): Promise<void> {
    const { workspace } = held.sender;
    if (!(await this.inTime(held, this.timings.quietGiveUpMs, (signal) => this.work.quiet(workspace, reaches, signal))))
      return held.learn({ trees: 'busy' });
    const answer = await this.ask(held, () => this.lookAt(workspace, reaches));
    if (answer === 'unavailable') return held.learn({ trees: 'unavailable' });
    const { trees } = held.findings;
    const before = trees !== undefined && typeof trees !== 'string' ? trees : [];
    held.learn({ trees: new Map([...before, ...answer]) });
  }

  /** The kinds in one go: most paths are no folders. */
  private async lookAt(workspace: WorkspaceName, reaches: readonly Reach[]): Promise<Map<string, Tree>> {
    const facts = await this.outside.facts(
      workspace,
      reaches.map(({ path }) => path),
      false,
    );
    const trees = new Map<string, Tree>();
    let left = MAX_PATHS_PER_LOGICAL_OPERATION;
    for (const { path, deep } of reaches) {
      const fact = facts.get(path)!;
      if (!deep || fact.state.kind !== 'directory' || left < 0) {
        // Of a folder that there was no room to look into.
        const more = deep && fact.state.kind === 'directory';
        if (deep || !trees.has(path)) trees.set(path, { facts: [fact], deep: false, more });
        continue;
      }
      const found: Fact[] = await this.outside.tree(workspace, path, left);
      left -= found.length;
      trees.set(path, { facts: found, deep: true, more: left < 0 });
    }
    return trees;
  }

  /** Waits for the blob as for content, and reads it. */
  async operations(held: HeldIntent, blob: OperationsBlob): Promise<void> {
    const missing = await this.missing(held, [blob.hash]);
    if (missing === 'unavailable') return held.learn({ operations: { kind: 'unavailable' } });
    if (missing.length > 0) return held.learn({ operations: { kind: 'missing' } });
    const bytes = await this.ask(held, () => this.outside.content(blob));
    held.learn({
      operations: bytes === 'unavailable' ? { kind: bytes } : await runInSlices(readOperations(bytes, blob)),
    });
  }

  /** Waits for the outcomes of all parts; at a time-out, whose abort nobody waits for, as long as it takes. */
  async outcomes(held: HeldIntent, id: LogicalOperationId): Promise<void> {
    const { workspace } = held.sender;
    const ms = held.request.kind === 'timeout' ? undefined : this.timings.partsGiveUpMs;
    if (!(await this.inTime(held, ms, (signal) => this.work.outcomes(workspace, id, signal))))
      held.learn({ parts: 'busy' });
  }

  private async inTime<T>(
    held: HeldIntent,
    ms: number | undefined,
    wait: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const timer = ms === undefined ? undefined : setTimeout(() => late.abort(), ms);
    try {
      return await wait(AbortSignal.any([late.signal, this.signal(held)]));
    } finally {
      clearTimeout(timer);
    }
  }

  async blobs(held: HeldIntent, hashes: readonly BlobHash[]): Promise<void> {
    const missing = await this.missing(held, hashes);
    held.learn({ blobs: missing === 'unavailable' ? missing : { missing } });
  }

  /** The other side waits as well; one that does not is asked again. */
  private missing(held: HeldIntent, hashes: readonly BlobHash[]): Promise<BlobHash[] | 'unavailable'> {
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
    return askUntil(ask, { ...patience, signal: this.signal(held) });
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
