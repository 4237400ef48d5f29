import { PlanGet, type RollbackPlan } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { PlanReader } from '../planning/plan-reader.js';

@Controller()
export class PlanGetHandler {
  constructor(private readonly reader: PlanReader) {}

  @Answers(PlanGet)
  get({ plan_hash }: { plan_hash: string }, { caller }: CallContext): RollbackPlan {
    return this.reader.get(plan_hash, caller);
  }
}
