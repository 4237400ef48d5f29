import { PlanDiff } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { PlanDiffer } from '../planning/plan-differ.js';

@Controller()
export class PlanDiffHandler {
  constructor(private readonly differ: PlanDiffer) {}

  @Answers(PlanDiff)
  async diff(
    { plan_hash, path }: z.infer<typeof PlanDiff.request>,
    { caller }: CallContext,
  ): Promise<z.infer<typeof PlanDiff.reply>> {
    return this.differ.diff(plan_hash, path, caller);
  }
}
