import type { WorkspaceName } from '@retrace/contracts';
import { parsePolicy, type Policy } from '@retrace/policy-engine';
import type { PolicyState } from './policy-state.js';

export interface PolicyInForce {
  readonly version: number;
  readonly policy: Policy;
}

/** The parsed policy of each workspace, kept while its version stands. */
export class PolicyCatalogue {
  private readonly parsed = new Map<WorkspaceName, PolicyInForce & { readonly sequence: number }>();

  constructor(
    private readonly state: PolicyState,
    private readonly onTrouble: (message: string) => void,
  ) {}

  /** `undefined`: none was published, or its text is not understood any more: then nothing is allowed. */
  of(workspace: WorkspaceName): PolicyInForce | undefined {
    const row = this.state.get('policy', [workspace]);
    if (!row) return undefined;
    const known = this.parsed.get(workspace);
    if (known?.sequence === row.sequence && known.version === row.version) return known;
    try {
      const fresh = { version: row.version, sequence: row.sequence, policy: parsePolicy(row.yaml) };
      this.parsed.set(workspace, fresh);
      return fresh;
    } catch (error) {
      this.onTrouble(`policy ${row.version} of ${workspace}: ${(error as Error).message}`);
      return undefined;
    }
  }
}
