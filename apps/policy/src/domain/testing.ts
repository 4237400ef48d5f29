import {
  ABSENT,
  type AnyEventDefinition,
  type ApplyIntent,
  BlobHashSchema,
  type EventData,
  type Fact,
  IntentAuthorized,
  IntentSchema,
  IntentStale,
  isOperator,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
  MemberAdded,
  OperationApplied,
  OperationFailed,
  type OperationId,
  type OperationRequest,
  type PathState,
  PolicyPublished,
  type Principal,
  SessionCompleted,
  SessionOpened,
  type StoredEvent,
  WorkspaceRegistered,
} from '@retrace/contracts';
import type { Decider } from '@retrace/event-sourcing';
import { specificationFor } from '@retrace/event-sourcing/testing';
import { judge, parsePolicy, type Policy } from '@retrace/policy-engine';
import { decideIntent } from './decide-intent.js';
import type { Asked, DecidableIntent, Decision, DecisionEvent, Findings, StateView, Tree } from './decision-input.js';
import { type FoldedEvent, foldEvent } from './fold-event.js';
import { type InflightRow, type RowReader } from './rows.js';

/** Readable ids: `id('op', 1)`. */
export const id = <T extends string = string>(prefix: string, number: number): T =>
  `${prefix}_00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as T;
/** Of the same form as `id`, as if it were derived from something. */
export const derivedId = <T extends string = string>(prefix: string, number: number): T =>
  id<T>(prefix, number).replace('-7000-', '-8000-') as T;
export const hash = (digit: string) => BlobHashSchema.parse(digit.repeat(64));
export const principal = (name: string): Principal => name as Principal;

export const POLICY = `
version: 1
name: spec
rules:
  - { name: operators, agents: ['_op-*'], allow: [read, create, overwrite, delete], paths: ['**'] }
  - { name: free, allow: [read, create, overwrite, delete, move], paths: ['free/'] }
  - { name: blind, allow: [create, overwrite, delete, move], paths: ['blind/'] }
  - { name: grows, allow: [create], paths: ['grows/'] }
  - { name: fixed, allow: [overwrite], paths: ['fixed/'] }
  - { name: closed, deny: [create, overwrite, delete], paths: ['closed/'], reason: kept as it is }
`;

/** The time at which specs decide. */
const DECIDED_AT = '2026-01-02T00:00:00.000Z';

let sequence = 0;
/** An event of the workspace `ws`, as the log would hold it. */
export const stored = <D extends AnyEventDefinition>(
  definition: D,
  data: EventData<D>,
  changed: Partial<StoredEvent> = {},
): FoldedEvent =>
  ({
    id: id('evt', ++sequence),
    type: definition.type,
    source: 'retrace/spec',
    time: '2026-01-01T00:00:00.000Z',
    workspace: 'ws',
    agent: 'writer',
    sequence,
    data,
    ...changed,
  }) as unknown as FoldedEvent;

const answered = (number: number, attempt = 1) => ({
  intent_id: id<never>('int', number),
  in_sequence: number,
  attempt,
});

export const registered = stored(WorkspaceRegistered, { root: '/r', host: 'h', registered_by: principal('_op-me') });
export const memberAdded = stored(MemberAdded, { member: principal('writer'), added_by: principal('_op-me') });
export const published = (yaml = POLICY, version = 1) =>
  stored(PolicyPublished, { version, name: 'spec', yaml, published_by: principal('_op-me') });
export const opened = (session = 1, agent = 'writer') =>
  stored(SessionOpened, {
    ...answered(900 + session),
    session_id: id<never>('ses', session),
    agent: principal(agent),
    task: 't',
    conversation_id: null,
    model: { id: 'model-1' },
  });
export const completed = (session = 1) =>
  stored(SessionCompleted, { ...answered(800 + session), session_id: id<never>('ses', session) });
/** A workspace with policy, a member and its session. */
export const ready = [registered, memberAdded, published(), opened()];

/** Of an open logical operation, which part of it. */
export interface PartOf {
  readonly lop: number;
  readonly part: number;
}

export const authorized = (number: number, operations: readonly OperationRequest[], attempt = 1, partOf?: PartOf) =>
  stored(IntentAuthorized, {
    ...answered(number, attempt),
    logical_operation_id: id<never>('lop', partOf?.lop ?? number),
    open: partOf !== undefined,
    part: partOf?.part ?? 1,
    session_id: id<never>('ses', 1),
    model: null,
    tool: null,
    reason: null,
    provenance: {},
    operations: operations.map((request) => ({
      request,
      canonical: ('to' in request ? request.to : request.path) as never,
      ...('to' in request && {
        source: {
          canonical: request.path as never,
          class: 'move' as const,
          pin: { kind: 'any' as const },
          decision: { policy_version: 1, rule: 'free' },
        },
      }),
      class: 'create' as const,
      pin: { kind: 'any' as const },
      decision: { policy_version: 1, rule: 'free' },
    })),
  });
const outcome = (number: number, partOf?: PartOf) => ({
  logical_operation_id: id<never>('lop', partOf?.lop ?? number),
  kind: 'operation' as const,
  intent_id: id<never>('int', number),
  session_id: null,
  rollback_id: null,
  part: 1,
  authorized_by: { sequence: 1, event_id: id<never>('evt', 1) },
  epoch: 1,
});
/** `records`: the ids of the operations that were recorded. */
export const applied = (number: number, partOf?: PartOf, records: readonly string[] = []) =>
  stored(OperationApplied, {
    ...outcome(number, partOf),
    operations: records.map((operation_id) => ({ operation_id }) as never),
  });
export const failed = (number: number, partOf?: PartOf) =>
  stored(OperationFailed, {
    ...outcome(number, partOf),
    code: 'io',
    message: 'm',
    failed_at: null,
    path: null,
    expected: null,
    found: null,
    needs_attention: [],
  });
export const wentStale = (number: number, why: 'link' | 'moved' | 'assumed_absent', attempt = 1, lop = number) =>
  stored(IntentStale, {
    ...answered(number, attempt),
    logical_operation_id: id<never>('lop', lop),
    paths: [{ path: 'p', why }],
  });

/** The logical operation `lop` of session 1: it is opened when specs decide, and said of by intents 1000 and more. */
const ofOpen = (lop: number) => ({ logical_operation_id: id<never>('lop', lop), session_id: id<never>('ses', 1) });
export const openedLop = (lop: number, changed: Partial<StoredEvent> = {}, timeout_ms = 60_000) =>
  stored(
    LogicalOperationOpened,
    { ...answered(1000 + 3 * lop), ...ofOpen(lop), reason: null, timeout_ms },
    { time: DECIDED_AT, ...changed },
  );
export const committedLop = (lop: number) =>
  stored(LogicalOperationCommitted, { ...answered(1001 + 3 * lop), ...ofOpen(lop) });
export const abortedLop = (lop: number, why: 'requested' | 'timeout' = 'requested') =>
  stored(LogicalOperationAborted, {
    ...answered(1002 + 3 * lop),
    ...ofOpen(lop),
    why,
    reason: null,
    rollback_id: id<never>('rbk', lop),
    rollback_logical_operation_id: id<never>('lop', 770 + lop),
  });

/** An operation as an agent asks for it; a move or copy goes to `<path>2`. */
export const operation = (
  action: OperationRequest['action'],
  path: string,
  number = 1,
  content = hash('a'),
): OperationRequest => {
  const common = { operation_id: id<never>('op', number), path };
  switch (action) {
    case 'mkdir':
    case 'delete':
    case 'rmdir':
      return { ...common, action };
    case 'chmod':
      return { ...common, action, mode: 0o600 };
    case 'symlink':
      return { ...common, action, target: 'target' };
    case 'move':
    case 'copy':
      return { ...common, action, to: `${path}2` };
    case 'create':
    case 'write':
    case 'edit':
    case 'append':
      return { ...common, action, content_hash: content, size: 3 };
  }
};

/** A move or copy. */
export const transfer = (
  action: 'move' | 'copy',
  path: string,
  to: string,
  more: { overwrite?: boolean; recursive?: boolean; expected?: PathState } = {},
  number = 1,
): OperationRequest => ({ operation_id: id<never>('op', number), action, path, to, ...more });

export const apply = (operations: readonly OperationRequest[], changed: Partial<ApplyIntent> = {}): ApplyIntent =>
  IntentSchema.parse({
    type: 'operation.apply',
    intent_id: id('int', 1),
    session_id: id<never>('ses', 1),
    operations,
    ...changed,
  }) as ApplyIntent;

export const fact = (path: string, state: PathState = ABSENT, changed: Partial<Fact> = {}): Fact => ({
  path: path as never,
  canonical: path as never,
  state,
  recorded: null,
  problem: null,
  ...changed,
});
export const file = (digit = 'b'): PathState => ({ kind: 'file', hash: hash(digit), size: 1, mode: 0o644 });
export const factsOf = (facts: readonly Fact[], follow = false): Pick<Findings, 'facts'> => ({
  facts: { follow, byPath: new Map(facts.map((known) => [known.path, known])) },
});

export const folder = (mode = 0o755): PathState => ({ kind: 'directory', mode });
/** What lies at and below the first path. */
export const tree = (...facts: readonly Fact[]): Tree => ({ facts, deep: true, more: false });
/** What stands at one path. */
export const look = (path: string, state: PathState = ABSENT): Tree => ({
  facts: [fact(path, state)],
  deep: state.kind !== 'directory',
  more: false,
});
export const treesOf = (...trees: readonly Tree[]): Pick<Findings, 'trees'> => ({
  trees: new Map(trees.map((known) => [known.facts[0]!.path, known])),
});

/** The rows of a history, in memory. */
export class MemoryRows implements RowReader {
  readonly rows = new Map<string, unknown>();
  get: RowReader['get'] = (table, key) => this.rows.get(JSON.stringify([table, ...key])) as never;

  with(event: FoldedEvent): MemoryRows {
    const next = new MemoryRows();
    for (const [key, value] of this.rows) next.rows.set(key, value);
    for (const { table, key, value } of foldEvent(event, this))
      if (value === undefined) next.rows.delete(JSON.stringify([table, ...key]));
      else next.rows.set(JSON.stringify([table, ...key]), value);
    return next;
  }

  inflight(): InflightRow[] {
    return [...this.rows].filter(([key]) => key.startsWith('["inflight"')).map(([, row]) => row as InflightRow);
  }
}

export interface Ask {
  readonly intent: DecidableIntent;
  readonly by?: string;
  readonly attempt?: number;
  readonly asked?: Partial<Asked>;
  readonly findings?: Partial<Findings>;
}

const parsedPolicies = new Map<string, Policy>();
function parsedOnce(yaml: string): Policy {
  const parsed = parsedPolicies.get(yaml) ?? parsePolicy(yaml);
  parsedPolicies.set(yaml, parsed);
  return parsed;
}

const viewOf = (rows: MemoryRows, agent: string): StateView => {
  const policy = rows.get('policy', ['ws']);
  const parsed = policy && parsedOnce(policy.yaml);
  return {
    registered: rows.get('workspace', ['ws']) !== undefined,
    member: isOperator(agent) || rows.get('member', ['ws', agent]) !== undefined,
    policy: parsed && {
      version: policy.version,
      judge: (actionClass, path) => judge(parsed, { agent, class: actionClass, path }),
    },
    session: (session) => rows.get('session', ['ws', session]),
    logicalOperation: (lop) => rows.get('logical_operation', ['ws', lop]),
    spentBy: (spent) => rows.get('operation', ['ws', spent]),
    newestInflight: (path) =>
      rows
        .inflight()
        .toSorted((a, b) => b.sequence - a.sequence)
        .flatMap(({ effects }) => effects.toReversed())
        .find((standing) => standing.path === path),
  };
};

/** The id of what an operation does at another path, as specs can read it. */
export const partId = (asked: string, path: string) => `${asked}@${path}` as OperationId;

const decide = ({ intent, by = 'writer', attempt = 1, asked, findings }: Ask, rows: MemoryRows): Decision => {
  const deciding = decideIntent({
    intent,
    asked: {
      workspace: 'ws' as never,
      principal: principal(by),
      inSequence: 7,
      attempt,
      eventId: id('evt', 1),
      logicalOperationId: id('lop', 1),
      rollbackId: id('rbk', 1),
      time: DECIDED_AT,
      causationId: intent.intent_id,
      rollbackLogicalOperationId: id('lop', 2),
      part: undefined,
      partId,
      ...asked,
    },
    state: viewOf(rows, by),
    findings: { withdrawn: false, follow: false, blobs: { missing: [] }, ...findings },
  });
  for (;;) {
    const step = deciding.next();
    if (step.done) return step.value;
  }
};

/** Decides on a history. */
export const decideOn = (history: readonly FoldedEvent[], ask: Ask): Decision =>
  decide(
    ask,
    history.reduce((rows, event) => rows.with(event), new MemoryRows()),
  );

/** Folds a history and decides on it: an event, or the question that comes first. */
const decider: Decider<MemoryRows, Ask, FoldedEvent | DecisionEvent | Decision> = {
  initialState: new MemoryRows(),
  decide: (ask, rows) => {
    const decision = decide(ask, rows);
    return [decision.kind === 'decided' ? decision.event : decision];
  },
  evolve: (rows, event) => rows.with(event as FoldedEvent),
};
export const { given } = specificationFor(decider);
