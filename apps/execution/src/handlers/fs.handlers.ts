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
import { ExecutionStore } from '../journal/execution-store.js';
import { canonicalOf, factOf, readRange } from '../reading/file-reader.js';
import { ReadGate } from '../reading/read-gate.js';
import { WorkspaceRegistry } from '../workspaces/workspace-registry.js';

/** Calls about the files of workspaces under care here. */
@Controller()
export class FsHandlers {
  constructor(
    private readonly registry: WorkspaceRegistry,
    private readonly store: ExecutionStore,
    private readonly gate: ReadGate,
  ) {}

  @Answers(FsFacts)
  facts({ paths, follow }: z.infer<typeof FsFacts.request>, { caller }: CallContext): z.infer<typeof FsFacts.reply> {
    if (caller.principal !== undefined) throw new RetraceError('forbidden', 'facts are for services; use read or log');
    const { workspace } = this.registry.find(caller.workspace);
    const recordedOf = (path: string) => this.store.recorded(workspace.name, path);
    return { facts: paths.map((path) => factOf(workspace, path, follow, recordedOf)) };
  }

  @Answers(FsRead)
  read({ path, offset, length }: z.infer<typeof FsRead.request>, { caller }: CallContext): RawReply {
    const { workspace } = this.registry.find(caller.workspace);
    const canonical = canonicalOf(workspace, path);
    this.gate.check(workspace.name, caller.principal, canonical);
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
