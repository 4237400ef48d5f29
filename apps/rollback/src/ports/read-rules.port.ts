import type { Principal, WorkspaceName, WorkspacePath } from '@retrace/contracts';

/** What policy lets an agent read now. */
export abstract class ReadRules {
  /** Rejects with `unavailable` where policy does not answer. */
  abstract mayRead(workspace: WorkspaceName, agent: Principal, path: WorkspacePath): Promise<boolean>;
}
