import { PolicyExplain } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { ExplainRequest } from '../administration/policy-questions.js';
import { PolicyQuestions } from '../administration/policy-questions.js';

@Controller()
export class PolicyExplainHandler {
  constructor(private readonly questions: PolicyQuestions) {}

  @Answers(PolicyExplain)
  explain(request: ExplainRequest, { caller }: CallContext) {
    return this.questions.explain(caller, request);
  }
}
