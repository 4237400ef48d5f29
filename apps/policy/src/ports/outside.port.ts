import type {
  BlobHash,
  Fact,
  OperationsBlob,
  Principal,
  RollbackPlan,
  WorkspaceName,
  WorkspacePath,
} from '@retrace/contracts';

/** What policy asks other services. Each rejects where nobody answers; asking again is safe. */
export abstract class Outside {
  /** By the path that was asked for; rejects unless every path is answered. */
  abstract facts(
    workspace: WorkspaceName,
    paths: readonly WorkspacePath[],
    follow: boolean,
  ): Promise<Map<string, Fact>>;
  /** What lies at and below a path, links not followed, the path itself first; ends soon after `most`. */
  abstract tree(workspace: WorkspaceName, path: WorkspacePath, most: number): Promise<Fact[]>;
  /** The bytes of a blob, as many as there are, at most what the intent says and one more. */
  abstract content(blob: OperationsBlob): Promise<Uint8Array>;
  /** Which of these the principal has not uploaded, after waiting up to `waitMs` for them. */
  abstract missing(
    workspace: WorkspaceName,
    principal: Principal,
    hashes: readonly BlobHash[],
    waitMs: number,
  ): Promise<BlobHash[]>;
  /** With every step; `unknown`: no such plan is kept. */
  abstract plan(workspace: WorkspaceName, planHash: string): Promise<RollbackPlan | 'unknown'>;
}
