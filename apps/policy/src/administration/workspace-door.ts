import {
  isOperator,
  partitionOf,
  type Principal,
  RetraceError,
  type RpcCaller,
  type WorkspaceName,
} from '@retrace/contracts';
import type { FoldGate } from '../state/fold-gate.js';
import type { PolicyState } from '../state/policy-state.js';

/** For the fold to reach the end of the log. */
const WAIT_MS = 5_000;

/** Lets callers to a workspace: it is known, folded, and theirs to ask about. */
export class WorkspaceDoor {
  constructor(
    private readonly state: PolicyState,
    private readonly gate: FoldGate,
    private readonly stop: AbortSignal,
  ) {}

  /** A workspace that was registered a moment ago counts: the log is folded to its end before anybody is sent away. */
  async enter({ workspace }: RpcCaller): Promise<WorkspaceName> {
    if (workspace === '_') throw new RetraceError('bad_request', 'name the workspace that this is about');
    const lane = String(partitionOf(workspace));
    const signal = AbortSignal.any([this.stop, AbortSignal.timeout(WAIT_MS)]);
    if (!this.gate.isOpen(lane))
      throw new RetraceError('not_ready', 'policy is reading the log; try again in a moment');
    if (!this.isKnown(workspace)) await this.gate.catchUp(lane, signal).catch(() => undefined);
    if (!this.isKnown(workspace)) throw new RetraceError('unknown_workspace', `there is no workspace ${workspace}`);
    return workspace;
  }

  /** Publishing and membership are for operators alone; services have no business here either. */
  async enterAsOperator(caller: RpcCaller): Promise<{ workspace: WorkspaceName; operator: Principal }> {
    const { principal } = caller;
    if (principal === undefined || !isOperator(principal))
      throw new RetraceError('forbidden', `only operators change policies and members, not ${principal ?? 'services'}`);
    return { workspace: await this.enter(caller), operator: principal };
  }

  /** Members, operators and services may look. */
  async enterAsMember(caller: RpcCaller): Promise<WorkspaceName> {
    const workspace = await this.enter(caller);
    const { principal } = caller;
    if (principal === undefined || isOperator(principal) || this.state.get('member', [workspace, principal]))
      return workspace;
    throw new RetraceError('not_a_member', `${principal} is no member of ${workspace}; an operator adds it`);
  }

  private isKnown(workspace: WorkspaceName): boolean {
    return this.state.get('workspace', [workspace]) !== undefined;
  }
}
