import type { RestoreStep, RollbackPlan } from '@retrace/contracts';
import {
  type KeptPlan,
  MAX_KEPT_STEPS,
  MAX_PLANS,
  PLAN_LIFETIME_MS,
  type PlanStore,
} from '../../ports/plan-store.port.js';
import type { RollbackEnvironment } from './rollback-environment.js';

/** Plans in LMDB. */
export class LmdbPlanStore implements PlanStore {
  constructor(private readonly environment: RollbackEnvironment) {}

  keep(plan: RollbackPlan, now: number): void {
    const { root, plans, planAges } = this.environment;
    root.transactionSync(() => {
      const before = plans.get(plan.plan_hash);
      if (before) void planAges.remove([before.keptAt, plan.plan_hash]);
      this.environment.putPlan(plan.plan_hash, plan, now);
      void planAges.put([now, plan.plan_hash], Math.max(1, plan.steps.length));
      this.dropOld(now, plan.plan_hash);
    });
  }

  find(planHash: string): KeptPlan | undefined {
    return this.environment.plans.get(planHash);
  }

  part(planHash: string, part: number): readonly RestoreStep[] {
    return this.environment.planSteps.get([planHash, part]) ?? [];
  }

  /** Says whether a rollback still needs the plan. Call inside a write transaction. */
  pin(planHash: string, rollbackId: string, needed: boolean): void {
    const { planPins } = this.environment;
    if (needed) void planPins.put([planHash, rollbackId], 1);
    else void planPins.remove([planHash, rollbackId]);
  }

  private dropOld(now: number, justKept: string): void {
    const ages = Array.from(this.environment.planAges.getRange());
    let surplus = ages.length - MAX_PLANS;
    let steps = ages.reduce((sum, { value }) => sum + value, 0);
    for (const { key, value } of ages) {
      const [keptAt, planHash] = key;
      if (keptAt > now - PLAN_LIFETIME_MS && surplus <= 0 && steps <= MAX_KEPT_STEPS) return;
      if (planHash === justKept || this.isPinned(planHash)) continue;
      this.drop(planHash, keptAt);
      steps -= value;
      surplus--;
    }
  }

  private drop(planHash: string, keptAt: number): void {
    const { plans, planAges, planSteps } = this.environment;
    const parts = plans.get(planHash)?.parts ?? 0;
    for (let part = 0; part < parts; part++) void planSteps.remove([planHash, part]);
    void plans.remove(planHash);
    void planAges.remove([keptAt, planHash]);
  }

  private isPinned(planHash: string): boolean {
    const range = { start: [planHash, ''] as [string, string], end: [planHash, '\uffff'] as [string, string] };
    return this.environment.planPins.getKeysCount({ ...range, limit: 1 }) > 0;
  }
}
