import { PlanMake, type RollbackPlan, type Selection } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { PlanMaker } from '../planning/plan-maker.js';

@Controller()
export class PlanMakeHandler {
  constructor(private readonly maker: PlanMaker) {}

  @Answers(PlanMake)
  async make({ selection }: { selection: Selection }, { caller }: CallContext): Promise<RollbackPlan> {
    return this.maker.make(selection, caller);
  }
}
