import { RetraceError, type RollbackPlan, type RpcCaller } from '@retrace/contracts';
import type { PlanStore } from '../ports/plan-store.port.js';

/** Shows kept plans to services and to who asked for them. */
export class PlanReader {
  constructor(private readonly plans: PlanStore) {}

  /** Errors: `unknown_plan`, also for another's: whether one exists is nobody else's business. */
  get(planHash: string, { principal, workspace }: RpcCaller): RollbackPlan {
    const plan = this.plans.find(planHash);
    const mayRead = principal === undefined || principal === plan?.requested_by;
    if (plan && mayRead && plan.workspace === workspace) return plan;
    throw new RetraceError(
      'unknown_plan',
      `no plan ${planHash} of ${principal ?? 'anybody'} is kept for ${workspace}; plans are kept for a day: plan again`,
    );
  }
}
