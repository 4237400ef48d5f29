import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobHash, type RestoreStep, samePathState, type WorkspaceName } from '@retrace/contracts';
import type { WorkspaceFacts } from '../ports/workspace-facts.port.js';
import { type Deadline, deadlineIn } from './fold-wait.js';

const BETWEEN_LOOKS_MS = 100;

/** Asks which contents are kept, each once, for one plan. */
export class BlobCheck {
  /** Contents that nobody has. */
  readonly lost = new Set<string>();
  private readonly asked = new Set<BlobHash>();
  /** What came to light later was on its way all the time. */
  private deadline: Deadline | undefined;

  constructor(
    private readonly workspace: WorkspaceName,
    private readonly facts: WorkspaceFacts,
    /**
     * A pre-image may be on its way from the executor's journal into the store: how long to wait for all of them together,
     * in ms.
     */
    private readonly waitMs: number,
  ) {}

  /** Answers whether more of them are lost than was known. */
  async look(hashes: readonly BlobHash[]): Promise<boolean> {
    const open = hashes.filter((hash) => !this.asked.has(hash));
    if (open.length === 0) return false;
    for (const hash of open) this.asked.add(hash);
    const missing = await this.missing(open);
    for (const hash of missing) this.lost.add(hash);
    return missing.length > 0;
  }

  private async missing(hashes: readonly BlobHash[]): Promise<readonly BlobHash[]> {
    let missing = await this.facts.missing(this.workspace, hashes);
    const deadline = (this.deadline ??= missing.length > 0 ? deadlineIn(this.waitMs) : undefined) ?? 0;
    while (missing.length > 0 && performance.now() < deadline) {
      await sleep(BETWEEN_LOOKS_MS);
      missing = await this.facts.missing(this.workspace, missing);
    }
    return missing;
  }
}

/** Contents that steps make anew. What is moved, or stays, needs none. */
export function neededBlobs(steps: readonly RestoreStep[]): BlobHash[] {
  const made = steps.filter((step) => step.moves_from === undefined && !samePathState(step.expect, step.restore));
  return [...new Set(made.flatMap(({ restore }) => (restore.kind === 'file' ? [restore.hash] : [])))];
}
