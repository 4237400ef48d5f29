import { MemberAdded, PolicyPublished, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { ExecutionStore } from '../journal/execution-store.js';

/** What reads are judged by. */
@Controller()
export class PolicyHandlers {
  constructor(private readonly store: ExecutionStore) {}

  @OnEvent(PolicyPublished)
  published({ workspace, data }: StoredEvent<typeof PolicyPublished>, { position }: LaneDelivery): void {
    this.store.putPolicy(workspace, { version: data.version, yaml: data.yaml }, position);
  }

  @OnEvent(MemberAdded)
  memberAdded({ workspace, data }: StoredEvent<typeof MemberAdded>, { position }: LaneDelivery): void {
    this.store.addMember(workspace, data.member, position);
  }
}
