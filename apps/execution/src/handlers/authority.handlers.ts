import { IntentAuthorized, IntentDenied, RollbackStepRequested, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { authorityOfIntent, authorityOfStep } from '../domain/authority.js';
import { ExecutionStore } from '../journal/execution-store.js';
import { WorkspaceRegistry } from '../workspaces/workspace-registry.js';

/** Events that give, or take, the right to change paths. */
@Controller()
export class AuthorityHandlers {
  constructor(
    private readonly registry: WorkspaceRegistry,
    private readonly store: ExecutionStore,
  ) {}

  @OnEvent(IntentAuthorized)
  authorized(event: StoredEvent<typeof IntentAuthorized>, { position, signal }: LaneDelivery): Promise<void> {
    return this.registry.find(event.workspace).take(authorityOfIntent(event), position, signal);
  }

  /** The first decision per attempt counts: an authorization under the same id would be a second one. */
  @OnEvent(IntentDenied)
  async denied(event: StoredEvent<typeof IntentDenied>, { position }: LaneDelivery): Promise<void> {
    await this.registry.drained(event.workspace);
    this.store.markHandled(event.workspace, event.id, position);
  }

  @OnEvent(RollbackStepRequested)
  stepRequested(event: StoredEvent<typeof RollbackStepRequested>, { position, signal }: LaneDelivery): Promise<void> {
    return this.registry.find(event.workspace).take(authorityOfStep(event), position, signal);
  }
}
