import { PlanMake, type RollbackPlan } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { PlanMaker } from '../planning/plan-maker.js';

@Controller()
export class PlanMakeHandler {
  constructor(private readonly maker: PlanMaker) {}

  @Answers(PlanMake)
  async make(asked: z.infer<typeof PlanMake.request>, { caller }: CallContext): Promise<RollbackPlan> {
    return this.maker.make(asked, caller);
  }
}
