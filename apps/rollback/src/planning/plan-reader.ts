import { isOperator, type RestoreStep, RetraceError, type RollbackPlan, type RpcCaller } from '@retrace/contracts';
import type { KeptPlan, PlanStore } from '../ports/plan-store.port.js';
import { firstPage, pageOf } from './plan-pages.js';
import { StepIndex } from './step-index.js';

/** Shows kept plans to services, to operators and to who asked for them. */
export class PlanReader {
  private readonly index: StepIndex;

  constructor(private readonly plans: PlanStore) {
    this.index = new StepIndex(plans);
  }

  /** With its first steps. Errors: `unknown_plan`, also for another's: whether one exists is nobody else's business. */
  get(planHash: string, caller: RpcCaller): RollbackPlan {
    const { plan } = this.find(planHash, caller);
    return firstPage({ ...plan, steps: this.stepsFrom(planHash, 0, plan.step_count) });
  }

  /** Fewer than asked for where more would not fit an answer. Errors: `unknown_plan`. */
  steps(
    { plan_hash, from, limit }: { readonly plan_hash: string; readonly from: number; readonly limit: number },
    caller: RpcCaller,
  ): RestoreStep[] {
    this.find(plan_hash, caller);
    return pageOf(this.stepsFrom(plan_hash, from, limit), limit);
  }

  /** The steps on one path, in their order: one, or one that takes and one that makes. Errors: `unknown_plan`. */
  stepsAt(planHash: string, path: string, caller: RpcCaller): RestoreStep[] {
    const { parts } = this.find(planHash, caller);
    return this.index.at(planHash, parts, path);
  }

  private stepsFrom(planHash: string, from: number, limit: number): RestoreStep[] {
    const steps: RestoreStep[] = [];
    let skip = from;
    for (let part = 0; steps.length < Math.min(limit, MOST); part++) {
      const some = this.plans.part(planHash, part);
      if (some.length === 0) break;
      steps.push(...some.slice(skip));
      skip = Math.max(0, skip - some.length);
    }
    return steps;
  }

  private find(planHash: string, { principal, workspace }: RpcCaller): KeptPlan {
    const kept = this.plans.find(planHash);
    const mayRead = principal === undefined || isOperator(principal) || principal === kept?.plan.requested_by;
    if (kept && mayRead && kept.plan.workspace === workspace) return kept;
    throw new RetraceError(
      'unknown_plan',
      `no plan ${planHash} of ${principal ?? 'anybody'} is kept for ${workspace}; plans are kept for a day: plan again`,
    );
  }
}

/** More never fit an answer. */
const MOST = 1256;
