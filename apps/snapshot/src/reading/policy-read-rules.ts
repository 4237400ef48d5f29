import {
  errorCodeOf,
  PolicyExplain,
  type Principal,
  RetraceError,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { ReadRules, type Verdict } from './read-rules.js';

/** Less than a caller of ours waits for its content. */
const TIMEOUT_MS = 5_000;

/** Asks the policy service each time: a policy that was published counts from then on. */
export class PolicyReadRules extends ReadRules {
  constructor(private readonly calls: Pick<CallClient, 'call'>) {
    super();
  }

  async judge(workspace: WorkspaceName, agent: Principal, path: WorkspacePath): Promise<Verdict> {
    try {
      const question = { agent, class: 'read' as const, path };
      const { allowed, message } = await this.calls.call(PolicyExplain, workspace, question, { timeoutMs: TIMEOUT_MS });
      return { allowed, message };
    } catch (cause) {
      const { message } = cause as Error;
      if (errorCodeOf(cause) === 'unknown_workspace') return { allowed: false, message };
      throw new RetraceError(
        'unavailable',
        `policy does not say whether ${agent} may read ${path} in ${workspace} (${message}); try again in a moment`,
        { cause },
      );
    }
  }
}
