import {
  AgentNameSchema,
  type EventEnvelope,
  MemberAdded,
  partitionOf,
  type PolicyAddMember,
  type PolicyPublish,
  PolicyPublished,
  type Principal,
  RetraceError,
  type RpcCaller,
  type StoredEvent,
  type WorkspaceName,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import { isPreset, parsePolicy, PRESETS } from '@retrace/policy-engine';
import type { z } from 'zod';
import type { FoldedEvent } from '../domain/fold-event.js';
import type { DecisionPublisher } from '../intake/decision-publisher.js';
import type { PolicyState } from '../state/policy-state.js';
import { Turns } from './turns.js';
import type { WorkspaceDoor } from './workspace-door.js';

export type PublishRequest = z.infer<typeof PolicyPublish.request>;
export type AddMemberRequest = z.infer<typeof PolicyAddMember.request>;

/** For an event to come back from the log. */
const FOLD_MS = 10_000;

/** What operators change: the policy and the members of a workspace. Answers once the change is folded. */
export class PolicyAdministration {
  private readonly turns = new Turns();

  constructor(
    private readonly door: WorkspaceDoor,
    private readonly state: PolicyState,
    private readonly publisher: DecisionPublisher,
    private readonly stop: AbortSignal,
  ) {}

  /** Errors: `forbidden`, `unknown_workspace`, `policy_invalid`. */
  async publish(caller: RpcCaller, request: PublishRequest): Promise<z.infer<typeof PolicyPublish.reply>> {
    const { workspace, operator } = await this.door.enterAsOperator(caller);
    const yaml = textOf(request);
    const { name } = parsePolicy(yaml);
    // Versions count without gaps: one publication of a workspace at a time.
    return this.turns.take(workspace, async () => {
      const version = (this.state.get('policy', [workspace])?.version ?? 0) + 1;
      const data = { version, name, yaml, published_by: operator };
      return { version, sequence: await this.say({ ...about(workspace, operator), type: PolicyPublished.type, data }) };
    });
  }

  /** Answers the same for a member as for one that is added. Errors: `forbidden`, `unknown_workspace`, `bad_request`. */
  async addMember(caller: RpcCaller, { member }: AddMemberRequest): Promise<z.infer<typeof PolicyAddMember.reply>> {
    const { workspace, operator } = await this.door.enterAsOperator(caller);
    if (!AgentNameSchema.safeParse(member).success)
      throw new RetraceError('bad_request', `${member} is no agent; operators are members everywhere`);
    return this.turns.take(workspace, async () => {
      const known = this.state.get('member', [workspace, member]);
      if (known) return { sequence: known.sequence };
      const data = { member, added_by: operator };
      return { sequence: await this.say({ ...about(workspace, operator), type: MemberAdded.type, data }) };
    });
  }

  private async say(event: EventEnvelope<typeof PolicyPublished | typeof MemberAdded>): Promise<number> {
    const { sequence } = await this.publisher.publish(event);
    failpoint('administration.after-ack');
    this.state.published({ ...event, sequence } as StoredEvent as FoldedEvent);
    const signal = AbortSignal.any([this.stop, AbortSignal.timeout(FOLD_MS)]);
    await this.state.folded(String(partitionOf(event.workspace)), sequence, signal).catch((cause: unknown) => {
      throw new RetraceError('timeout', `it is in the log at ${sequence}, but was not folded in time`, { cause });
    });
    return sequence;
  }
}

const about = (workspace: WorkspaceName, operator: Principal) => ({
  id: newId('evt'),
  source: 'retrace/policy',
  time: new Date().toISOString(),
  workspace,
  agent: operator,
});

/** An empty text names a policy that ships with Retrace. */
function textOf({ name, yaml }: PublishRequest): string {
  if (yaml !== '') return yaml;
  if (isPreset(name)) return PRESETS[name];
  const names = Object.keys(PRESETS).join(', ');
  throw new RetraceError(
    'policy_invalid',
    `no policy named ${JSON.stringify(name)} ships with Retrace; there are ${names}`,
  );
}
