import { setImmediate as othersFirst } from 'node:timers/promises';
import type { PathState } from '@retrace/contracts';
import type { History } from '../domain/history.js';
import { planning, type PlanContext, type PlanRequest, type PlanResult } from '../domain/planner.js';
import { type BlobCheck, neededBlobs } from './blob-check.js';
import type { MergeDesk } from './merge-desk.js';

/** What was seen of the past and of the disk. */
export interface Seen {
  readonly history: History;
  readonly present: ReadonlyMap<string, PathState>;
}

/**
 * Plans again and again: with the merges that the plan asks for, and without what cannot be restored. What was merged is
 * durable when a plan is answered.
 */
export async function planToTheEnd(
  { history, present }: Seen,
  request: PlanRequest,
  context: PlanContext,
  { desk, blobs }: { readonly desk: MergeDesk; readonly blobs: BlobCheck },
): Promise<Exclude<PlanResult, { status: 'merges_needed' }>> {
  for (;;) {
    const given = { ...context, merges: desk.merges, lostBlobs: blobs.lost };
    const result = await inPhases(planning(history, present, request, given));
    switch (result.status) {
      case 'merges_needed':
        await desk.merge(result.merges);
        break;
      case 'refused':
        return result;
      case 'planned': {
        const hashes = neededBlobs(result.plan.steps);
        if (await blobs.look(hashes.filter((hash) => !desk.hasMade(hash)))) break;
        await desk.store(hashes);
        return result;
      }
    }
  }
}

/** Events are folded and calls answered in between, on what may be the only thread. */
async function inPhases<Result>(phases: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = phases.next();
    if (done) return value;
    await othersFirst();
  }
}
