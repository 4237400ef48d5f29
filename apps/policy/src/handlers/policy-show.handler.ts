import { PolicyShow } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { PolicyQuestions } from '../administration/policy-questions.js';

@Controller()
export class PolicyShowHandler {
  constructor(private readonly questions: PolicyQuestions) {}

  @Answers(PolicyShow)
  show(_request: object, { caller }: CallContext) {
    return this.questions.show(caller);
  }
}
