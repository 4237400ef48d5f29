import {
  type BlobHash,
  type ErrorCode,
  errorCodeOf,
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
import { type Ending, endingOf } from './ending.js';
import type { Content, HeldIntent } from './held-intent.js';
import { Slots } from './slots.js';
import { readOperations } from './read-operations.js';
import { runInSlices } from './run-in-slices.js';

/** Codes that speak of the path, not of who was asked. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'not_permitted',
  'link_refused',
  'outside_root',
  'not_a_folder',
  'absent',
  'path_too_long',
  'name_too_long',
]);

/**
 * Intents that reach thousands of paths are held with all that was found for them, some 20 MB each: so many at once, and
 * so many of one sender.
 */
const LARGE_HELD = 8;
const LARGE_HELD_EACH = 2;

/** How long the other side waits for content before it is asked again, in ms. */
const ASKED_AGAIN_MS = 2_000;

/** What is authorized and not finished. Each answers `false` where the signal came first. */
export interface WorkInFlight {
  quiet(workspace: WorkspaceName, reaches: readonly Reach[], signal: AbortSignal): Promise<boolean>;
  outcomes(workspace: WorkspaceName, id: LogicalOperationId, signal: AbortSignal): Promise<boolean>;
}

/** Asks other services what a decision needs, and lets the held intent know. */
export class Questions {
  private readonly slots = new Slots(LARGE_HELD, LARGE_HELD_EACH);
  private readonly stopping: Ending;

  constructor(
    private readonly outside: Outside,
    private readonly work: WorkInFlight,
    private readonly timings: PolicyTimings,
    stop: AbortSignal,
  ) {
    this.stopping = endingOf(stop);
  }

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
  async trees(held: HeldIntent, asked: readonly Reach[]): Promise<void> {
    const { workspace } = held.sender;
    const reaches = once(asked);
    if (!(await this.inTime(held, this.timings.quietGiveUpMs, (signal) => this.work.quiet(workspace, reaches, signal))))
      return held.learn({ trees: 'busy' });
    const kinds = await this.kinds(held, reaches);
    if (kinds === 'unavailable') return held.learn({ trees: kinds });
    const isLarge = reaches.some(({ path, deep }) => deep && kinds.get(path)?.state.kind === 'directory');
    if (isLarge && !(await this.hasRoom(held))) return held.learn({ trees: 'busy' });
    const answer = await this.ask(held, () => this.lookBelow(workspace, reaches, kinds));
    if (answer === 'unavailable') return held.learn({ trees: 'unavailable' });
    const { trees } = held.findings;
    const before = trees !== undefined && typeof trees !== 'string' ? trees : [];
    held.learn({ trees: new Map([...before, ...answer]) });
  }

  /** In one go: most paths are no folders. */
  private kinds(held: HeldIntent, reaches: readonly Reach[]): Promise<Map<string, Fact> | 'unavailable'> {
    const paths = reaches.map(({ path }) => path);
    return this.ask(held, () => this.outside.facts(held.sender.workspace, paths, false));
  }

  private async lookBelow(
    workspace: WorkspaceName,
    reaches: readonly Reach[],
    kinds: ReadonlyMap<string, Fact>,
  ): Promise<Map<string, Tree>> {
    const trees = new Map<string, Tree>();
    let left = MAX_PATHS_PER_LOGICAL_OPERATION;
    for (const { path, deep } of reaches) {
      const fact = kinds.get(path)!;
      const isFolder = deep && fact.state.kind === 'directory';
      if (!isFolder) {
        trees.set(path, { facts: [fact], deep: false, more: false });
        continue;
      }
      // Beyond what one logical operation may reach nothing is looked at: it is refused.
      const facts = left < 0 ? [fact] : await this.below(workspace, fact, left);
      left -= facts.length;
      trees.set(path, { facts, deep: true, more: left < 0 });
    }
    return trees;
  }

  /** A folder that cannot be looked into says so: asking again changes nothing. */
  private async below(workspace: WorkspaceName, root: Fact, most: number): Promise<Fact[]> {
    try {
      return await this.outside.tree(workspace, root.path, most);
    } catch (error) {
      const code = errorCodeOf(error);
      if (!FINAL.has(code)) throw error;
      return [{ ...root, problem: { code, message: (error as Error).message } }];
    }
  }

  private async hasRoom(held: HeldIntent): Promise<boolean> {
    const { workspace, principal } = held.sender;
    const { quietGiveUpMs } = this.timings;
    held.giveBack ??= await this.inTime(held, quietGiveUpMs, (signal) =>
      this.slots.take(`${workspace} ${principal}`, signal),
    );
    return held.giveBack !== undefined;
  }

  /** Waits for the blob as for content, and reads it. */
  async operations(held: HeldIntent, blob: OperationsBlob): Promise<void> {
    const missing = await this.missing(held, [blob.hash]);
    if (missing === 'unavailable') return held.learn({ operations: { kind: 'unavailable' } });
    if (missing.length > 0) return held.learn({ operations: { kind: 'missing' } });
    if (!(await this.hasRoom(held))) return held.learn({ operations: { kind: 'busy' } });
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
    const over = new AbortController();
    const endings = this.endings(held);
    const stop = (): void => over.abort();
    if (endings.some(({ isOver }) => isOver)) stop();
    for (const ending of endings) ending.add(stop);
    const timer = ms === undefined ? undefined : setTimeout(stop, ms);
    try {
      return await wait(over.signal);
    } finally {
      clearTimeout(timer);
      for (const ending of endings) ending.delete(stop);
    }
  }

  /** Looks whether content is there, and waits for what is not. */
  content(held: HeldIntent, hashes: readonly BlobHash[]): Content {
    let isLookedFor = false;
    const isHere = this.isHere(held, hashes).finally(() => (isLookedFor = true));
    const here = isHere.then((all) => (all ? undefined : this.blobs(held, hashes)));
    return { isLookedFor: () => isLookedFor, looked: isHere.then(() => undefined), here };
  }

  private async isHere(held: HeldIntent, hashes: readonly BlobHash[]): Promise<boolean> {
    const { workspace, principal } = held.sender;
    const ask = (): Promise<BlobHash[]> => this.outside.missing(workspace, principal, hashes, 0);
    const oneTry = { deadline: performance.now(), retryMs: this.timings.retryMs, endings: this.endings(held) };
    const missing = await askUntil(ask, oneTry);
    if (missing === 'unavailable' || missing.length > 0) return false;
    held.learn({ blobs: { missing } });
    return true;
  }

  async blobs(held: HeldIntent, hashes: readonly BlobHash[]): Promise<void> {
    const missing = await this.missing(held, hashes);
    held.learn({ blobs: missing === 'unavailable' ? missing : { missing } });
  }

  /** The other side waits as well, each time for a while: one that dies takes the question along. */
  private missing(held: HeldIntent, hashes: readonly BlobHash[]): Promise<BlobHash[] | 'unavailable'> {
    const { workspace, principal } = held.sender;
    const { retryMs, blobWaitMs } = this.timings;
    const deadline = held.arrivedAt + blobWaitMs;
    const ask = async (): Promise<BlobHash[]> => {
      const waitMs = Math.min(ASKED_AGAIN_MS, Math.max(0, deadline - performance.now()));
      const missing = await this.outside.missing(workspace, principal, hashes, waitMs);
      if (missing.length > 0 && performance.now() < deadline) throw new Error('not all there yet');
      return missing;
    };
    // The last answer comes a little after the deadline.
    const patience = { deadline: Math.max(deadline, performance.now()) + 4 * retryMs, retryMs };
    return askUntil(ask, { ...patience, endings: this.endings(held) });
  }

  private async ask<T>(held: HeldIntent, ask: () => Promise<T>): Promise<T | 'unavailable'> {
    const { factsGiveUpMs, retryMs } = this.timings;
    const deadline = this.askedAt(held) + factsGiveUpMs;
    const answer = await askUntil(ask, { deadline, retryMs, endings: this.endings(held) });
    if (answer !== 'unavailable') held.askedAt = undefined;
    return answer;
  }

  private askedAt(held: HeldIntent): number {
    return (held.askedAt ??= performance.now());
  }

  private endings(held: HeldIntent): Ending[] {
    return [held.withdrawal, this.stopping];
  }
}

/** Each path once, as far as any of them reaches: operations one after another may reach the same folder. */
function once(reaches: readonly Reach[]): Reach[] {
  const byPath = new Map<string, Reach>();
  for (const reach of reaches) if (reach.deep || !byPath.has(reach.path)) byPath.set(reach.path, reach);
  return [...byPath.values()];
}
