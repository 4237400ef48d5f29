import type { BlobHash, Fact, Principal, RollbackPlan, WorkspaceName, WorkspacePath } from '@retrace/contracts';

/** What policy asks other services. Each rejects where nobody answers; asking again is safe. */
export abstract class Outside {
  /** By the path that was asked for; rejects unless every path is answered. */
  abstract facts(
    workspace: WorkspaceName,
    paths: readonly WorkspacePath[],
    follow: boolean,
  ): Promise<Map<string, Fact>>;
  /** Which of these the principal has not uploaded, after waiting up to `waitMs` for them. */
  abstract missing(
    workspace: WorkspaceName,
    principal: Principal,
    hashes: readonly BlobHash[],
    waitMs: number,
  ): Promise<BlobHash[]>;
  /** `unknown`: no such plan is kept. */
  abstract plan(workspace: WorkspaceName, planHash: string): Promise<RollbackPlan | 'unknown'>;
}
