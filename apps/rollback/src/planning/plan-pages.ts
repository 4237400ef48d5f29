import { type RestoreStep, type RollbackPlan, STEPS_PER_PAGE } from '@retrace/contracts';

/** Bytes of JSON that the steps of one answer may have. */
const PAGE_BYTES = 512 * 1024;

/** As many as fit an answer, and one at least. */
export function pageOf(steps: readonly RestoreStep[], limit = STEPS_PER_PAGE): RestoreStep[] {
  const page: RestoreStep[] = [];
  let bytes = 0;
  for (const step of steps) {
    bytes += Buffer.byteLength(JSON.stringify(step));
    if (page.length >= limit || (page.length > 0 && bytes > PAGE_BYTES)) break;
    page.push(step);
  }
  return page;
}

/** The plan as it is answered: `step_count` says how many steps it has in all. */
export const firstPage = (plan: RollbackPlan): RollbackPlan => ({ ...plan, steps: pageOf(plan.steps) });
