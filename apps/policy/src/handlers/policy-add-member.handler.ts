import { PolicyAddMember } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { AddMemberRequest } from '../administration/policy-administration.js';
import { PolicyAdministration } from '../administration/policy-administration.js';

@Controller()
export class PolicyAddMemberHandler {
  constructor(private readonly administration: PolicyAdministration) {}

  @Answers(PolicyAddMember)
  addMember(request: AddMemberRequest, { caller }: CallContext) {
    return this.administration.addMember(caller, request);
  }
}
