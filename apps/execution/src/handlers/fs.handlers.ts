import {
  FsAddWorkspace,
  FsFacts,
  FsRead,
  isOperator,
  RetraceError,
  RPC_HEADERS,
  type WorkspaceName,
} from '@retrace/contracts';
import { Answers, type CallContext, RawReply } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { canonicalOf, factOf } from '../reading/facts.js';
import { ReadGate } from '../reading/read-gate.js';
import { readRange } from '../reading/read-range.js';
import { WorkspaceRegistry } from '../workspaces/workspace-registry.js';

/** Calls about the files of workspaces under care here. */
@Controller()
export class FsHandlers {
  constructor(
    private readonly registry: WorkspaceRegistry,
    private readonly gate: ReadGate,
  ) {}

  @Answers(FsFacts)
  async facts(
    { paths, follow, entries }: z.infer<typeof FsFacts.request>,
    { caller }: CallContext,
  ): Promise<z.infer<typeof FsFacts.reply>> {
    if (caller.principal !== undefined) throw new RetraceError('forbidden', 'facts are for services; use read or log');
    const executor = this.registry.find(caller.workspace);
    // Which paths links lead to, and what lies in folders, is not known yet.
    await executor.untilKnown(follow || entries ? 'all' : paths);
    const recordedOf = (path: string) => executor.recorded(path);
    return { facts: paths.map((path) => factOf(executor.workspace, path, { follow, entries }, recordedOf)) };
  }

  @Answers(FsRead)
  read({ path, offset, length }: z.infer<typeof FsRead.request>, { caller }: CallContext): RawReply {
    const { workspace } = this.registry.find(caller.workspace);
    const reader = { workspace: workspace.name, principal: caller.principal };
    const canonical = this.gate.admit(reader, path, (typed) => canonicalOf(workspace, typed));
    const { bytes, size, state } = readRange(workspace, canonical, offset, length);
    return new RawReply(bytes, { [RPC_HEADERS.size]: String(size), [RPC_HEADERS.state]: JSON.stringify(state) });
  }

  @Answers(FsAddWorkspace)
  addWorkspace({ name, root }: z.infer<typeof FsAddWorkspace.request>, { caller }: CallContext) {
    const { principal } = caller;
    if (principal === undefined || !isOperator(principal))
      throw new RetraceError('forbidden', 'only operators take folders under care');
    return this.registry.add(name satisfies WorkspaceName, root, principal);
  }
}
