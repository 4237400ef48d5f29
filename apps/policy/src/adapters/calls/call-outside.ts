import {
  type BlobHash,
  BlobMissing,
  errorCodeOf,
  type Fact,
  FsFacts,
  PlanGet,
  type Principal,
  RetraceError,
  type RollbackPlan,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { Outside } from '../../ports/outside.port.js';

/** Beyond the time that the other side waits itself. */
const GRACE_MS = 5_000;

/** Asks execution, snapshot and rollback by calls. */
export class CallOutside extends Outside {
  constructor(private readonly calls: CallClient) {
    super();
  }

  async facts(workspace: WorkspaceName, paths: readonly WorkspacePath[], follow: boolean): Promise<Map<string, Fact>> {
    const { facts } = await this.calls.call(FsFacts, workspace, { paths: [...paths], follow });
    if (facts.length !== paths.length)
      throw new RetraceError('internal', `${paths.length} paths asked, ${facts.length} facts answered`);
    return new Map(paths.map((path, index) => [path, facts[index]!]));
  }

  async missing(
    workspace: WorkspaceName,
    principal: Principal,
    hashes: readonly BlobHash[],
    waitMs: number,
  ): Promise<BlobHash[]> {
    const request = { principal, hashes: [...hashes], wait_ms: Math.max(0, Math.round(waitMs)) };
    return (await this.calls.call(BlobMissing, workspace, request, { timeoutMs: waitMs + GRACE_MS })).missing;
  }

  async plan(workspace: WorkspaceName, planHash: string): Promise<RollbackPlan | 'unknown'> {
    try {
      return await this.calls.call(PlanGet, workspace, { plan_hash: planHash });
    } catch (error) {
      if (errorCodeOf(error) === 'unknown_plan') return 'unknown';
      throw error;
    }
  }
}
