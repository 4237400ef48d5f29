import { FsBaseline, isOperator, type Principal, RetraceError, type WorkspaceName } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { ExecutionStore } from '../journal/execution-store.js';
import { WorkspaceRegistry } from '../workspaces/workspace-registry.js';
import { type BaselineProgress, Baselines } from './baselines.js';

/** How far baselines are. */
@Controller()
export class BaselineHandlers {
  constructor(
    private readonly registry: WorkspaceRegistry,
    private readonly store: ExecutionStore,
    private readonly baselines: Baselines,
  ) {}

  @Answers(FsBaseline)
  baseline(_: z.infer<typeof FsBaseline.request>, { caller }: CallContext): BaselineProgress {
    const { name } = this.registry.find(caller.workspace).workspace;
    this.requireMember(name, caller.principal);
    return this.baselines.progress(name);
  }

  private requireMember(workspace: WorkspaceName, principal: Principal | undefined): void {
    if (principal === undefined || isOperator(principal) || this.store.isMember(workspace, principal)) return;
    const next = `an operator adds it: retrace agent add ${principal} --workspace ${workspace}`;
    throw new RetraceError('not_a_member', `${principal} is no member of ${workspace}; ${next}`);
  }
}
