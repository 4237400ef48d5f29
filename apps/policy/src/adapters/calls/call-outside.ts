import {
  BlobGet,
  type BlobHash,
  BlobMissing,
  CHUNK_BYTES,
  errorCodeOf,
  type Fact,
  FsFacts,
  FsTree,
  type OperationsBlob,
  PlanGet,
  PlanSteps,
  type Principal,
  RetraceError,
  type RestoreStep,
  type RollbackPlan,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { Outside } from '../../ports/outside.port.js';

/** So many facts, and so many hashes, fit one message. */
const FACTS_PER_CALL = 500;
const HASHES_PER_CALL = 5_000;

/** Beyond the time that the other side waits itself. */
const GRACE_MS = 5_000;

/** Asks execution, snapshot and rollback by calls. */
export class CallOutside extends Outside {
  constructor(private readonly calls: CallClient) {
    super();
  }

  async facts(workspace: WorkspaceName, paths: readonly WorkspacePath[], follow: boolean): Promise<Map<string, Fact>> {
    const known = new Map<string, Fact>();
    for (const some of inPieces(paths, FACTS_PER_CALL)) {
      const { facts } = await this.calls.call(FsFacts, workspace, { paths: some, follow });
      if (facts.length !== some.length)
        throw new RetraceError('internal', `${some.length} paths asked, ${facts.length} facts answered`);
      for (const [index, path] of some.entries()) known.set(path, facts[index]!);
    }
    return known;
  }

  async tree(workspace: WorkspaceName, path: WorkspacePath, most: number): Promise<Fact[]> {
    const found: Fact[] = [];
    let after: WorkspacePath | undefined;
    do {
      const page = await this.calls.call(FsTree, workspace, { path, ...(after !== undefined && { after }) });
      found.push(...page.facts);
      after = page.next ?? undefined;
    } while (after !== undefined && found.length <= most);
    return found;
  }

  async content({ hash, size }: OperationsBlob): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let got = 0;
    while (got <= size) {
      const length = Math.min(CHUNK_BYTES, size + 1 - got);
      const chunk = await this.calls.call(BlobGet, '_', { hash, offset: got, length });
      chunks.push(chunk);
      got += chunk.length;
      if (chunk.length < length) break;
    }
    return Buffer.concat(chunks);
  }

  async missing(
    workspace: WorkspaceName,
    principal: Principal,
    hashes: readonly BlobHash[],
    waitMs: number,
  ): Promise<BlobHash[]> {
    const deadline = performance.now() + waitMs;
    const missing: BlobHash[] = [];
    for (const some of inPieces(hashes, HASHES_PER_CALL)) {
      const wait_ms = Math.max(0, Math.round(deadline - performance.now()));
      const request = { principal, hashes: some, wait_ms };
      const answer = await this.calls.call(BlobMissing, workspace, request, { timeoutMs: wait_ms + GRACE_MS });
      missing.push(...answer.missing);
    }
    return missing;
  }

  async plan(workspace: WorkspaceName, planHash: string): Promise<RollbackPlan | 'unknown'> {
    try {
      const plan = await this.calls.call(PlanGet, workspace, { plan_hash: planHash });
      return { ...plan, steps: await this.allSteps(workspace, plan) };
    } catch (error) {
      if (errorCodeOf(error) === 'unknown_plan') return 'unknown';
      throw error;
    }
  }

  /** The answer holds the first ones alone; an unjudged step must not run. */
  private async allSteps(
    workspace: WorkspaceName,
    { plan_hash, steps, step_count }: RollbackPlan,
  ): Promise<RestoreStep[]> {
    const all = [...steps];
    while (all.length < step_count) {
      const page = await this.calls.call(PlanSteps, workspace, { plan_hash, from: all.length });
      if (page.steps.length === 0)
        throw new RetraceError('internal', `${step_count} steps planned, ${all.length} answered`);
      all.push(...page.steps);
    }
    return all;
  }
}

function* inPieces<Item>(items: readonly Item[], size: number): Iterable<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
