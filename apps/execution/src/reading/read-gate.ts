import {
  AccessRefused,
  type ErrorCode,
  isOperator,
  type Principal,
  RetraceError,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import { deriveId, type EventLog, newId } from '@retrace/event-log';
import { evaluate, parsePolicy, type Policy } from '@retrace/policy-engine';
import { Logger } from '@nestjs/common';
import type { ExecutionStore } from '../journal/execution-store.js';

/** Refusals that were published, so that each is an event once. Bounded: the oldest goes first. */
const REMEMBERED = 10_000;

/** Refusals of one principal in one workspace that this process puts on record. */
export const TOLD_EACH = 1_000;

/** Who wants to read where; services (no principal) read what they need. */
export interface Reader {
  readonly workspace: WorkspaceName;
  readonly principal: Principal | undefined;
}

interface Refused {
  readonly path: string;
  readonly code: ErrorCode;
  readonly rule: string | null;
  readonly message: string;
}

/** Judges reads by the workspace's policy; refused ones are events, the first per principal, path and rule. */
export class ReadGate {
  private readonly logger = new Logger('execution');
  private readonly told = new Set<string>();
  private readonly toldOf = new Map<string, number>();
  private readonly parsed = new Map<string, { version: number; policy: Policy }>();

  constructor(
    private readonly store: ExecutionStore,
    private readonly log: EventLog,
  ) {}

  /**
   * Answers the canonical path that may be read. `resolve` finds it and comes after membership: strangers do not even
   * learn what exists. Throws `not_a_member`, `no_rule`, `rule_denies`, `protected_path`, or what `resolve` throws.
   */
  admit(reader: Reader, typed: string, resolve: (typed: string) => WorkspacePath): WorkspacePath {
    const path = this.enter(reader, typed, resolve);
    this.requireRule(reader, path);
    return path;
  }

  /** As {@link admit}, for a folder whose entries are judged one by one. Throws `not_a_member`, or what `resolve` throws. */
  enter<Path extends string>(reader: Reader, typed: string, resolve: (typed: string) => Path): Path {
    this.requireMember(reader, typed);
    return this.resolved(reader, typed, resolve);
  }

  mayRead({ workspace, principal }: Reader, path: string): boolean {
    if (principal === undefined) return true;
    return evaluate(this.policyOf(workspace), { agent: principal, class: 'read', path }).allowed;
  }

  private requireMember(reader: Reader, path: string): void {
    const { workspace, principal } = reader;
    if (principal === undefined || isOperator(principal) || this.store.isMember(workspace, principal)) return;
    const next = `an operator adds it: retrace agent add ${principal} --workspace ${workspace}`;
    const message = `${principal} is no member of ${workspace}; ${next}`;
    throw this.refuse(reader, { path, code: 'not_a_member', rule: null, message });
  }

  /** A path that leads out of the workspace, or into what is nobody's, is refused like one that a rule denies. */
  private resolved<Path extends string>(reader: Reader, typed: string, resolve: (typed: string) => Path): Path {
    try {
      return resolve(typed);
    } catch (error) {
      if (!(error instanceof RetraceError) || !LEADS_OUT.has(error.code)) throw error;
      throw this.refuse(reader, { path: typed, code: error.code, rule: null, message: error.message });
    }
  }

  /** Throws, and puts on record, that the policy does not let the reader see this path. */
  requireRule(reader: Reader, path: string): void {
    const { workspace, principal } = reader;
    if (principal === undefined) return;
    const { allowed, code, rule, message } = evaluate(this.policyOf(workspace), {
      agent: principal,
      class: 'read',
      path,
    });
    if (!allowed) throw this.refuse(reader, { path, code: code ?? 'rule_denies', rule, message });
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

  private refuse({ workspace, principal }: Reader, refused: Refused): RetraceError {
    const { path, code, rule, message } = refused;
    if (principal !== undefined) this.tellOnce(workspace, principal, refused);
    return new RetraceError(code, message, { details: { path, rule } });
  }

  private tellOnce(workspace: WorkspaceName, agent: Principal, data: Refused): void {
    // A stranger is told of once, whatever it asked for: nothing that it types may grow the log.
    const path = data.code === 'not_a_member' ? '' : data.path;
    const key = deriveId('evt', 'access.refused', workspace, agent, path, data.code, data.rule ?? '');
    if (this.told.has(key) || !this.mayTell(workspace, agent)) return;
    this.remember(key);
    const event = {
      id: newId('evt'),
      type: AccessRefused.type,
      source: 'retrace/execution',
      time: new Date().toISOString(),
      workspace,
      agent,
      data,
    };
    this.log.append<typeof AccessRefused>(event).catch((error: unknown) => {
      // Not told after all: the next try tells it.
      this.told.delete(key);
      this.count(workspace, agent, -1);
      this.logger.warn(`a refused read is not in the log: ${String(error)}`);
    });
  }

  /** Nothing leaves the log again: one principal cannot fill it with refusals. */
  private mayTell(workspace: WorkspaceName, agent: Principal): boolean {
    if ((this.toldOf.get(`${workspace} ${agent}`) ?? 0) >= TOLD_EACH) return false;
    if (this.count(workspace, agent, 1) === TOLD_EACH)
      this.logger.warn(`${agent} was refused ${TOLD_EACH} reads in ${workspace}; more are not put on record`);
    return true;
  }

  private count(workspace: WorkspaceName, agent: Principal, by: 1 | -1): number {
    const key = `${workspace} ${agent}`;
    const count = (this.toldOf.get(key) ?? 0) + by;
    this.toldOf.set(key, count);
    return count;
  }

  private remember(key: string): void {
    this.told.add(key);
    if (this.told.size > REMEMBERED)
      for (const oldest of [...this.told].slice(0, REMEMBERED / 10)) this.told.delete(oldest);
  }
}

const LEADS_OUT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'outside_root',
  'path_escapes',
  'path_absolute',
  'path_control_folder',
]);
