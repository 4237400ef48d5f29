import type { Principal, WorkspaceName, WorkspacePath } from '@retrace/contracts';

export interface Verdict {
  readonly allowed: boolean;
  /** Names the path and the rule; of a refusal also what to do next. */
  readonly message: string;
}

/** Says what the policy in force lets an agent read, guards included. */
export abstract class ReadRules {
  /** Rejects with `unavailable` where nobody can say. */
  abstract judge(workspace: WorkspaceName, agent: Principal, path: WorkspacePath): Promise<Verdict>;
}
