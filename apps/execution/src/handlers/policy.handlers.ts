import { MemberAdded, PolicyPublished, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { ExecutionStore } from '../journal/execution-store.js';
import { WorkspaceRegistry } from '../workspaces/workspace-registry.js';

/** What reads are judged by. */
@Controller()
export class PolicyHandlers {
  constructor(
    private readonly store: ExecutionStore,
    private readonly registry: WorkspaceRegistry,
  ) {}

  @OnEvent(PolicyPublished)
  async published({ workspace, data }: StoredEvent<typeof PolicyPublished>, { position }: LaneDelivery): Promise<void> {
    await this.registry.drained(workspace);
    this.store.putPolicy(workspace, { version: data.version, yaml: data.yaml }, position);
  }

  @OnEvent(MemberAdded)
  async memberAdded({ workspace, data }: StoredEvent<typeof MemberAdded>, { position }: LaneDelivery): Promise<void> {
    await this.registry.drained(workspace);
    this.store.addMember(workspace, data.member, position);
  }
}
