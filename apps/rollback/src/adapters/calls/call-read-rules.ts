import { PolicyExplain, type Principal, type WorkspaceName, type WorkspacePath } from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import type { ReadRules } from '../../ports/read-rules.port.js';

/** Asks policy each time: one that was published counts from then on. */
export class CallReadRules implements ReadRules {
  constructor(private readonly calls: Pick<CallClient, 'call'>) {}

  async mayRead(workspace: WorkspaceName, agent: Principal, path: WorkspacePath): Promise<boolean> {
    return (await this.calls.call(PolicyExplain, workspace, { agent, class: 'read', path })).allowed;
  }
}
