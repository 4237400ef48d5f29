import {
  AccessRefused,
  isOperator,
  type Principal,
  RetraceError,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import { deriveId, type EventLog } from '@retrace/event-log';
import { evaluate, parsePolicy, type Policy } from '@retrace/policy-engine';
import { Logger } from '@nestjs/common';
import type { ExecutionStore } from '../journal/execution-store.js';

/** Refusals that were published, so that each is an event once. Bounded: the oldest goes first. */
const REMEMBERED = 10_000;

/** Judges reads by the workspace's policy; refused ones are events, the first per principal, path and rule. */
export class ReadGate {
  private readonly logger = new Logger('execution');
  private readonly told = new Set<string>();
  private readonly parsed = new Map<string, { version: number; policy: Policy }>();

  constructor(
    private readonly store: ExecutionStore,
    private readonly log: EventLog,
  ) {}

  /** Throws `not_a_member`, `no_rule`, `rule_denies` or `protected_path`. Services (no principal) read what they need. */
  check(workspace: WorkspaceName, principal: Principal | undefined, path: WorkspacePath): void {
    if (principal === undefined) return;
    if (!isOperator(principal) && !this.store.isMember(workspace, principal))
      throw this.refuse(
        workspace,
        principal,
        path,
        'not_a_member',
        null,
        `${principal} is no member of ${workspace}; an operator adds it: retrace agent add ${principal} --workspace ${workspace}`,
      );
    const policy = this.policyOf(workspace);
    const answer = evaluate(policy, { agent: principal, class: 'read', path });
    if (!answer.allowed)
      throw this.refuse(workspace, principal, path, answer.code ?? 'rule_denies', answer.rule, answer.message);
  }

  private policyOf(workspace: WorkspaceName): Policy {
    const row = this.store.policy(workspace);
    if (!row)
      throw new RetraceError('no_policy', `${workspace} has no policy yet; publish one: retrace policy publish team`);
    const known = this.parsed.get(workspace);
    if (known?.version === row.version) return known.policy;
    const policy = parsePolicy(row.yaml);
    this.parsed.set(workspace, { version: row.version, policy });
    return policy;
  }

  private refuse(
    workspace: WorkspaceName,
    principal: Principal,
    path: WorkspacePath,
    code: ConstructorParameters<typeof RetraceError>[0],
    rule: string | null,
    message: string,
  ): RetraceError {
    const key = JSON.stringify([workspace, principal, path, code, rule]);
    if (!this.told.has(key)) this.tell(key, workspace, principal, { path, code, rule, message });
    return new RetraceError(code, message, { details: { path, rule } });
  }

  private tell(
    key: string,
    workspace: WorkspaceName,
    agent: Principal,
    data: { path: string; code: string; rule: string | null; message: string },
  ): void {
    this.told.add(key);
    if (this.told.size > REMEMBERED)
      for (const oldest of [...this.told].slice(0, REMEMBERED / 10)) this.told.delete(oldest);
    const event = {
      id: deriveId('evt', 'access.refused', key, process.pid, Date.now()),
      type: AccessRefused.type,
      source: 'retrace/execution',
      time: new Date().toISOString(),
      workspace,
      agent,
      data,
    };
    this.log
      .append<typeof AccessRefused>(event)
      .catch((error: unknown) => this.logger.warn(`a refused read is not in the log: ${String(error)}`));
  }
}
