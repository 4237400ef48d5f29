import type { RollbackPlan } from '@retrace/contracts';

/** How long a plan that is not running is kept, in ms. */
export const PLAN_LIFETIME_MS = 24 * 3600 * 1000;
/** Plans kept at most; the oldest that are not running go first. */
export const MAX_PLANS = 2000;

/** Plans by their hash. */
export abstract class PlanStore {
  /** Keeps a plan and drops what is too old. `now`: ms since 1970. */
  abstract keep(plan: RollbackPlan, now: number): void;
  abstract find(planHash: string): RollbackPlan | undefined;
}
