import { PlanSteps, type RestoreStep } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { PlanReader } from '../planning/plan-reader.js';

@Controller()
export class PlanStepsHandler {
  constructor(private readonly reader: PlanReader) {}

  @Answers(PlanSteps)
  steps(request: z.infer<typeof PlanSteps.request>, { caller }: CallContext): { steps: RestoreStep[] } {
    return { steps: this.reader.steps(request, caller) };
  }
}
