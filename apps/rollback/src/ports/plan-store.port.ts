import type { RestoreStep, RollbackPlan } from '@retrace/contracts';

/** How long a plan that is not running is kept, in ms. */
export const PLAN_LIFETIME_MS = 24 * 3600 * 1000;
/** Plans kept at most; the oldest that are not running go first. */
export const MAX_PLANS = 2000;
/** Steps of all kept plans together; the oldest that are not running go first. */
export const MAX_KEPT_STEPS = 2_000_000;

/** A plan without its steps, and in how many parts they are kept: each is applied whole or not at all. */
export interface KeptPlan {
  readonly plan: RollbackPlan;
  readonly parts: number;
}

/** Plans by their hash. */
export abstract class PlanStore {
  /** Keeps a plan and drops what is too old. `now`: ms since 1970. */
  abstract keep(plan: RollbackPlan, now: number): void;
  abstract find(planHash: string): KeptPlan | undefined;
  /** The steps of one part, from 0; none where it is not kept. */
  abstract part(planHash: string, part: number): readonly RestoreStep[];
}
