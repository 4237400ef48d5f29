import {
  type Fact,
  FsAddWorkspace,
  FsCheck,
  FsFacts,
  FsList,
  FsRead,
  FsStat,
  FsTree,
  isOperator,
  type Principal,
  RetraceError,
  RPC_HEADERS,
  type WorkspaceName,
} from '@retrace/contracts';
import { Answers, type CallContext, RawReply } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { Pace } from '../applying/pace.js';
import { checkWorkspace, unavailable } from '../reading/check-workspace.js';
import { canonicalOf, factOf } from '../reading/facts.js';
import { listFolder } from '../reading/list-folder.js';
import { ReadGate, type Reader } from '../reading/read-gate.js';
import { readRange } from '../reading/read-range.js';
import { statPath } from '../reading/stat-path.js';
import { treePage } from '../reading/tree-page.js';
import type { WorkspaceExecutor } from '../workspaces/workspace-executor.js';
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
    requireService(caller);
    const executor = this.registry.find(caller.workspace);
    // Which paths links lead to, and what lies in folders, is not known yet.
    await executor.untilKnown(follow || entries ? 'all' : paths);
    const recordedOf = (path: string) => executor.recorded(path);
    const [facts, pace]: [Fact[], Pace] = [[], new Pace()];
    for (const path of paths) {
      facts.push(factOf(executor.workspace, path, { follow, entries }, recordedOf));
      await pace.breathe();
    }
    return { facts };
  }

  @Answers(FsTree)
  async tree(query: z.infer<typeof FsTree.request>, { caller }: CallContext): Promise<z.infer<typeof FsTree.reply>> {
    requireService(caller);
    const executor = this.registry.find(caller.workspace);
    await executor.untilKnown('all');
    return treePage(executor.workspace, query, (path) => executor.recorded(path));
  }

  @Answers(FsList)
  list(query: z.infer<typeof FsList.request>, { caller }: CallContext): z.infer<typeof FsList.reply> {
    const executor = this.registry.find(caller.workspace);
    return listFolder(executor.workspace, this.gate, readerOf(executor, caller), query);
  }

  @Answers(FsStat)
  stat(query: z.infer<typeof FsStat.request>, { caller }: CallContext): Promise<z.infer<typeof FsStat.reply>> {
    const executor = this.registry.find(caller.workspace);
    return statPath(executor, this.gate, readerOf(executor, caller), query);
  }

  @Answers(FsCheck)
  check(_: z.infer<typeof FsCheck.request>, { caller }: CallContext): z.infer<typeof FsCheck.reply> {
    requireOperator(caller, 'only operators look at where a workspace lies');
    try {
      return { checks: checkWorkspace(this.registry.find(caller.workspace).workspace) };
    } catch (error) {
      return { checks: [unavailable(error)] };
    }
  }

  @Answers(FsRead)
  read({ path, offset, length }: z.infer<typeof FsRead.request>, { caller }: CallContext): RawReply {
    const executor = this.registry.find(caller.workspace);
    const { workspace } = executor;
    const canonical = this.gate.admit(readerOf(executor, caller), path, (typed) => canonicalOf(workspace, typed));
    const { bytes, size, state } = readRange(workspace, canonical, offset, length);
    return new RawReply(bytes, { [RPC_HEADERS.size]: String(size), [RPC_HEADERS.state]: JSON.stringify(state) });
  }

  @Answers(FsAddWorkspace)
  addWorkspace({ name, root }: z.infer<typeof FsAddWorkspace.request>, { caller }: CallContext) {
    const principal = requireOperator(caller, 'only operators take folders under care');
    return this.registry.add(name satisfies WorkspaceName, root, principal);
  }
}

type Caller = CallContext['caller'];

const readerOf = ({ workspace }: WorkspaceExecutor, { principal }: Caller): Reader => ({
  workspace: workspace.name,
  principal,
});

function requireService({ principal }: Caller): void {
  if (principal !== undefined)
    throw new RetraceError('forbidden', 'facts are for services; use read, list, stat or log');
}

function requireOperator({ principal }: Caller, message: string): Principal {
  if (principal === undefined || !isOperator(principal)) throw new RetraceError('forbidden', message);
  return principal;
}
