import { PolicyPublish } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { PublishRequest } from '../administration/policy-administration.js';
import { PolicyAdministration } from '../administration/policy-administration.js';

@Controller()
export class PolicyPublishHandler {
  constructor(private readonly administration: PolicyAdministration) {}

  @Answers(PolicyPublish)
  publish(request: PublishRequest, { caller }: CallContext) {
    return this.administration.publish(caller, request);
  }
}
