import type { LogicalOperationId, OperationId, SessionId, WorkspaceName } from '@retrace/contracts';
import type { IndexedOperation } from '../../domain/operation-index.js';
import { type GlobDialect, matcherOf, type Resolved, selectFrom } from '../../domain/selecting.js';
import type { Surroundings } from '../../domain/surroundings.js';
import type { FailedOperation, OperationHistory } from '../../ports/operation-history.port.js';
import { literalStart } from '../../globs/literal-start.js';
import { pathGlob } from '@retrace/path-globs';
import { agentKey, EventReader, homeOf, LAST, PART, pathKey, TIME } from './event-reader.js';
import type { RollbackEnvironment, RowKey } from './rollback-environment.js';

/** Sessions whose newest step is remembered. */
const MOST_NUMBERS = 1_000;

/** The operation index in LMDB. */
export class LmdbOperationHistory implements OperationHistory {
  /** Of the sessions that work now: their newest step. */
  private readonly numbers = new Map<string, number>();

  constructor(
    private readonly environment: RollbackEnvironment,
    private readonly glob: GlobDialect = pathGlob,
  ) {}

  foldedTo(workspace: WorkspaceName): number {
    return this.environment.positions.load(homeOf(workspace)[0])?.sequence ?? 0;
  }

  selected(workspace: WorkspaceName, selection: Resolved, limit: number): IndexedOperation[] {
    this.environment.positions.flush();
    const isNamed = matcherOf(selection, this.glob);
    const named: IndexedOperation[] = [];
    for (const operation of this.candidates(workspace, selection)) {
      if (isNamed(operation)) named.push(operation);
      if (named.length >= limit) break;
    }
    if (namesWhole(selection)) return named;
    const events = new EventReader(this.environment, workspace);
    const whole: IndexedOperation[] = [];
    for (const lop of new Set(named.map(({ logical_operation_id }) => logical_operation_id))) {
      for (const operation of events.under(lop)) whole.push(operation);
      if (whole.length >= limit * 2) break;
    }
    const ids = selectFrom(whole, selection, this.glob);
    return whole.filter(({ operation_id }) => ids.has(operation_id)).slice(0, limit);
  }

  around(workspace: WorkspaceName, { exact, folders }: Surroundings, limit: number): IndexedOperation[] {
    this.environment.positions.flush();
    const events = new EventReader(this.environment, workspace);
    const found = new Map<string, IndexedOperation>();
    const add = (rows: Iterable<IndexedOperation>): void => {
      for (const row of rows) {
        if (found.size >= limit) return;
        found.set(`${row.sequence} ${row.position}`, row);
      }
    };
    for (const path of exact) add(events.at(path));
    for (const folder of folders) add(events.startingWith(`${folder}/`));
    return [...found.values()];
  }

  ownerOf(workspace: WorkspaceName, operation: OperationId): LogicalOperationId | undefined {
    this.environment.positions.flush();
    return this.environment.owners.get([...homeOf(workspace), operation]);
  }

  stepOf(workspace: WorkspaceName, session: SessionId, step: number): LogicalOperationId | undefined {
    this.environment.positions.flush();
    return this.environment.steps.get([...homeOf(workspace), session, step]) as LogicalOperationId | undefined;
  }

  stepCount(workspace: WorkspaceName, session: SessionId): number {
    this.environment.positions.flush();
    const prefix: RowKey = [...homeOf(workspace), session];
    const newestFirst = { start: [...prefix, LAST] as RowKey, end: prefix, reverse: true, limit: 1 };
    for (const key of this.environment.steps.getKeys(newestFirst)) return Number(key[3]);
    return 0;
  }

  failure(workspace: WorkspaceName, selection: Resolved): FailedOperation | undefined {
    this.environment.positions.flush();
    const id = failedId(selection);
    return id === undefined ? undefined : this.environment.failures.get([...homeOf(workspace), id]);
  }

  /** Adds the operations of one event. Call inside a write transaction. */
  add(workspace: WorkspaceName, operations: readonly IndexedOperation[]): void {
    const [first] = operations;
    if (!first) return;
    const home = homeOf(workspace);
    const { selections, owners, paths } = this.environment;
    const { sequence, kind, session_id, logical_operation_id } = first;
    for (let from = 0, part = 0; from < operations.length; from += PART, part++)
      void this.environment.operations.put([...home, sequence, part], operations.slice(from, from + PART));
    for (const { path, position, operation_id, part_of } of operations) {
      void paths.put([...home, pathKey(path), sequence, position], 0);
      void owners.put([...home, operation_id], logical_operation_id);
      if (part_of !== null) void owners.put([...home, part_of], logical_operation_id);
    }
    for (const name of namesOf(operations)) void selections.put([...home, name, sequence], 0);
    // Rollbacks are found by their own ids alone.
    if (kind !== 'operation') return;
    void selections.put([...home, TIME, first.time, sequence], 0);
    if (session_id !== null) this.number(workspace, session_id, logical_operation_id);
  }

  /** Call inside a write transaction. */
  addFailure(workspace: WorkspaceName, failed: FailedOperation): void {
    for (const id of [failed.logical_operation_id, failed.session_id])
      if (id !== null) void this.environment.failures.put([...homeOf(workspace), id], failed);
  }

  /** Several parts of one logical operation count once. */
  private number(workspace: WorkspaceName, session: SessionId, lop: LogicalOperationId): void {
    const { steps } = this.environment;
    const home = homeOf(workspace);
    if (steps.doesExist([...home, lop])) return;
    const number = this.newestNumber(workspace, session) + 1;
    void steps.put([...home, lop], number);
    void steps.put([...home, session, number], lop);
    this.numbers.set(`${workspace} ${session}`, number);
    if (this.numbers.size > MOST_NUMBERS) this.numbers.clear();
  }

  /** What is remembered may be of a transaction that failed. */
  private newestNumber(workspace: WorkspaceName, session: SessionId): number {
    const number = this.numbers.get(`${workspace} ${session}`);
    const stands = number !== undefined && this.environment.steps.doesExist([...homeOf(workspace), session, number]);
    return stands ? number : this.stepCount(workspace, session);
  }

  /** At least all that the selection names, as few others as an index allows. */
  private candidates(workspace: WorkspaceName, selection: Resolved): Iterable<IndexedOperation> {
    const events = new EventReader(this.environment, workspace);
    switch (selection.by) {
      case 'operation': {
        const owner = this.ownerOf(workspace, selection.operation_id);
        return owner === undefined ? [] : events.under(owner);
      }
      case 'logical_operation':
        return events.under(selection.logical_operation_id);
      case 'session':
      case 'created':
        return events.under(selection.session_id);
      case 'path':
        return events.atAndBelow(selection.path, selection.below ?? false);
      case 'glob': {
        const start = literalStart(selection.glob);
        return start === '' ? narrowed(events, selection) : events.startingWith(start);
      }
      case 'agent':
      case 'since':
        return narrowed(events, selection);
    }
  }
}

function narrowed(
  events: EventReader,
  { session_id, agent, since_sequence = 0, since_time }: Resolved & { by: 'glob' | 'agent' | 'since' },
): Iterable<IndexedOperation> {
  if (session_id !== undefined) return events.under(session_id, since_sequence);
  if (agent !== undefined) return events.under(agentKey(agent), since_sequence);
  if (since_time !== undefined && since_sequence === 0) return events.since(Math.floor(Date.parse(since_time)));
  return events.all(since_sequence);
}

/** All of a logical operation is of one session. */
const namesWhole = ({ by }: Resolved): boolean => by === 'session' || by === 'logical_operation' || by === 'created';

/** Of the operations of one event. */
function namesOf(operations: readonly IndexedOperation[]): Set<string> {
  const names = new Set<string>();
  for (const { logical_operation_id, session_id, agent, kind } of operations) {
    names.add(logical_operation_id);
    if (kind !== 'operation') continue;
    names.add(agentKey(agent));
    if (session_id !== null) names.add(session_id);
  }
  return names;
}

function failedId(selection: Resolved): string | undefined {
  switch (selection.by) {
    case 'operation':
      return selection.operation_id;
    case 'logical_operation':
      return selection.logical_operation_id;
    case 'session':
    case 'created':
      return selection.session_id;
    case 'agent':
    case 'path':
    case 'glob':
    case 'since':
      return undefined;
  }
}
