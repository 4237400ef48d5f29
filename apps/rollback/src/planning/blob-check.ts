import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobHash, type PathState, samePathState, type Selection } from '@retrace/contracts';
import type { IndexedOperation } from '../domain/operation-index.js';
import { plan, type PlanContext, type PlanResult } from '../domain/planner.js';
import type { WorkspaceFacts } from '../ports/workspace-facts.port.js';
import { deadlineIn } from './fold-wait.js';

const BETWEEN_LOOKS_MS = 100;

/** Plans with what can be restored: asks which contents are kept, and only for those that a step would need. */
export class BlobCheck {
  constructor(
    private readonly facts: WorkspaceFacts,
    /** A pre-image may be on its way from the executor's journal into the store: how long to wait for it, in ms. */
    private readonly waitMs: number,
  ) {}

  async planWithWhatIsKept(
    history: readonly IndexedOperation[],
    present: ReadonlyMap<string, PathState>,
    selection: Selection,
    context: PlanContext,
  ): Promise<PlanResult> {
    const asked = new Set<BlobHash>();
    const lostBlobs = new Set<string>();
    for (;;) {
      const result = plan(history, present, selection, { ...context, lostBlobs });
      const open = result.ok ? neededBlobs(result.plan).filter((hash) => !asked.has(hash)) : [];
      if (open.length === 0) return result;
      for (const hash of open) asked.add(hash);
      for (const hash of await this.lost(context.workspace, open)) lostBlobs.add(hash);
    }
  }

  private async lost(workspace: PlanContext['workspace'], hashes: readonly BlobHash[]): Promise<readonly BlobHash[]> {
    const deadline = deadlineIn(this.waitMs);
    let missing = await this.facts.missing(workspace, hashes);
    while (missing.length > 0 && performance.now() < deadline) {
      await sleep(BETWEEN_LOOKS_MS);
      missing = await this.facts.missing(workspace, missing);
    }
    return missing;
  }
}

function neededBlobs({ steps }: { steps: readonly { expect: PathState; restore: PathState }[] }): BlobHash[] {
  const changed = steps.filter((step) => !samePathState(step.expect, step.restore));
  return [...new Set(changed.flatMap(({ restore }) => (restore.kind === 'file' ? [restore.hash] : [])))];
}
