import type { RollbackPlan } from '@retrace/contracts';
import { MAX_PLANS, PLAN_LIFETIME_MS, type PlanStore } from '../../ports/plan-store.port.js';
import type { RollbackEnvironment } from './rollback-environment.js';

/** Plans in LMDB. */
export class LmdbPlanStore implements PlanStore {
  constructor(private readonly environment: RollbackEnvironment) {}

  keep(plan: RollbackPlan, now: number): void {
    const { root, plans, planAges } = this.environment;
    root.transactionSync(() => {
      const before = plans.get(plan.plan_hash);
      if (before) void planAges.remove([before.keptAt, plan.plan_hash]);
      void plans.put(plan.plan_hash, { plan, keptAt: now });
      void planAges.put([now, plan.plan_hash], 1);
      this.dropOld(now, plan.plan_hash);
    });
  }

  find(planHash: string): RollbackPlan | undefined {
    return this.environment.plans.get(planHash)?.plan;
  }

  /** Says whether a rollback still needs the plan. Call inside a write transaction. */
  pin(planHash: string, rollbackId: string, needed: boolean): void {
    const { planPins } = this.environment;
    if (needed) void planPins.put([planHash, rollbackId], 1);
    else void planPins.remove([planHash, rollbackId]);
  }

  private dropOld(now: number, justKept: string): void {
    const { plans, planAges } = this.environment;
    let surplus = planAges.getCount() - MAX_PLANS;
    for (const [keptAt, planHash] of Array.from(planAges.getKeys())) {
      if (keptAt > now - PLAN_LIFETIME_MS && surplus <= 0) return;
      if (planHash === justKept || this.isPinned(planHash)) continue;
      void plans.remove(planHash);
      void planAges.remove([keptAt, planHash]);
      surplus--;
    }
  }

  private isPinned(planHash: string): boolean {
    const range = { start: [planHash, ''] as [string, string], end: [planHash, '\uffff'] as [string, string] };
    return this.environment.planPins.getKeysCount({ ...range, limit: 1 }) > 0;
  }
}
