import { canonicalPath, type PolicyExplain, type PolicyShow, type RpcCaller } from '@retrace/contracts';
import { evaluate } from '@retrace/policy-engine';
import type { z } from 'zod';
import type { PolicyCatalogue, PolicyInForce } from '../state/policy-catalogue.js';
import type { PolicyState } from '../state/policy-state.js';
import type { WorkspaceDoor } from './workspace-door.js';

export type ExplainRequest = z.infer<typeof PolicyExplain.request>;
export type Explanation = z.infer<typeof PolicyExplain.reply>;
export type ShownPolicy = z.infer<typeof PolicyShow.reply>;

/** Answers what the policy is and what it would say. */
export class PolicyQuestions {
  constructor(
    private readonly door: WorkspaceDoor,
    private readonly state: PolicyState,
    private readonly policies: PolicyCatalogue,
  ) {}

  /** Version 0: none was published. */
  async show(caller: RpcCaller): Promise<ShownPolicy> {
    const row = this.state.get('policy', [await this.door.enterAsMember(caller)]);
    if (!row) return { version: 0, name: '', yaml: '', published_by: null };
    const { version, name, yaml, published_by } = row;
    return { version, name, yaml, published_by };
  }

  async explain(caller: RpcCaller, request: ExplainRequest): Promise<Explanation> {
    const inForce = this.policies.of(await this.door.enterAsMember(caller));
    const parsed = canonicalPath(request.path);
    if (!parsed.ok) return refused(parsed.code, parsed.message, request.path, inForce);
    if (!inForce) return refused('no_policy', 'no policy is published, so nothing is allowed', parsed.path, undefined);
    const {
      reason: _,
      tried,
      ...answer
    } = evaluate(inForce.policy, {
      agent: request.agent,
      class: request.class,
      path: parsed.path,
    });
    return { ...answer, policy_version: inForce.version, canonical: parsed.path, tried: [...tried] };
  }
}

/** Refused before any rule: the code stands for the rule. */
const refused = (code: string, message: string, path: string, inForce: PolicyInForce | undefined): Explanation => ({
  allowed: false,
  rule: `guard:${code}`,
  code,
  message,
  policy_version: inForce?.version ?? 0,
  canonical: path,
  tried: [{ rule: `guard:${code}`, matched: true, why: message }],
});
