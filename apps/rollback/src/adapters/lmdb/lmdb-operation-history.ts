import {
  type LogicalOperationId,
  type OperationId,
  partitionOf,
  type SessionId,
  type WorkspaceName,
} from '@retrace/contracts';
import type { IndexedOperation } from '../../domain/operation-index.js';
import { type GlobDialect, matcherOf, type Resolved, selectFrom } from '../../domain/selecting.js';
import type { Surroundings } from '../../domain/surroundings.js';
import type { FailedOperation, OperationHistory } from '../../ports/operation-history.port.js';
import { literalStart } from '../../globs/literal-start.js';
import { pathGlob } from '@retrace/path-globs';
import type { RollbackEnvironment, RowKey } from './rollback-environment.js';

/**
 * A path may have more bytes than an LMDB key, so a key holds its beginning and rows are compared by their own path.
 * Keys sort like paths as far as they reach, which keeps everything below a folder together.
 */
const KEY_CHARACTERS = 256;
const pathKey = (path: string): string => path.slice(0, KEY_CHARACTERS);
const LAST = Number.MAX_SAFE_INTEGER;
/** Under these, beside ids, work is found: all of it in order, by time, by agent. No id looks like them. */
const ALL = '*';
const TIME = 'time';
const agentKey = (agent: string): string => `agent ${agent}`;

const LANES = new Map<string, string>();

/** The lane is remembered: it is asked for with every row. */
function homeOf(workspace: WorkspaceName): [lane: string, workspace: string] {
  const lane = LANES.get(workspace) ?? String(partitionOf(workspace));
  LANES.set(workspace, lane);
  return [lane, workspace];
}

/** The operation index in LMDB. */
export class LmdbOperationHistory implements OperationHistory {
  constructor(
    private readonly environment: RollbackEnvironment,
    private readonly glob: GlobDialect = pathGlob,
  ) {}

  foldedTo(workspace: WorkspaceName): number {
    return this.environment.positions.load(homeOf(workspace)[0])?.sequence ?? 0;
  }

  selected(workspace: WorkspaceName, selection: Resolved, limit: number): IndexedOperation[] {
    const isNamed = matcherOf(selection, this.glob);
    const named: IndexedOperation[] = [];
    for (const operation of this.candidates(workspace, selection)) {
      if (isNamed(operation)) named.push(operation);
      if (named.length >= limit) break;
    }
    if (namesWhole(selection)) return named;
    const whole: IndexedOperation[] = [];
    for (const lop of new Set(named.map(({ logical_operation_id }) => logical_operation_id))) {
      for (const operation of this.under(workspace, lop)) whole.push(operation);
      if (whole.length >= limit * 2) break;
    }
    const ids = selectFrom(whole, selection, this.glob);
    return whole.filter(({ operation_id }) => ids.has(operation_id)).slice(0, limit);
  }

  around(workspace: WorkspaceName, { exact, folders }: Surroundings, limit: number): IndexedOperation[] {
    const found = new Map<string, IndexedOperation>();
    const add = (rows: Iterable<IndexedOperation>): void => {
      for (const row of rows) {
        if (found.size >= limit) return;
        found.set(`${row.sequence} ${row.position}`, row);
      }
    };
    for (const path of exact) add(this.at(workspace, path));
    for (const folder of folders) add(this.startingWith(workspace, `${folder}/`));
    return [...found.values()];
  }

  ownerOf(workspace: WorkspaceName, operation: OperationId): LogicalOperationId | undefined {
    return this.environment.owners.get([...homeOf(workspace), operation]);
  }

  stepOf(workspace: WorkspaceName, session: SessionId, step: number): LogicalOperationId | undefined {
    return this.environment.steps.get([...homeOf(workspace), session, step]) as LogicalOperationId | undefined;
  }

  stepCount(workspace: WorkspaceName, session: SessionId): number {
    const prefix: RowKey = [...homeOf(workspace), session];
    const newestFirst = { start: [...prefix, LAST] as RowKey, end: prefix, reverse: true, limit: 1 };
    for (const key of this.environment.steps.getKeys(newestFirst)) return Number(key[3]);
    return 0;
  }

  failure(workspace: WorkspaceName, selection: Resolved): FailedOperation | undefined {
    const id = failedId(selection);
    return id === undefined ? undefined : this.environment.failures.get([...homeOf(workspace), id]);
  }

  /** Call inside a write transaction. */
  add(workspace: WorkspaceName, operation: IndexedOperation): void {
    const home = homeOf(workspace);
    const { selections } = this.environment;
    const { sequence, position, time } = operation;
    const key: RowKey = [...home, pathKey(operation.path), sequence, position];
    void this.environment.operations.put(key, operation);
    void this.environment.owners.put([...home, operation.operation_id], operation.logical_operation_id);
    for (const name of namesOf(operation)) void selections.put([...home, name, sequence, position], key);
    // Rollbacks are found by their own ids alone.
    if (operation.kind !== 'operation') return;
    void selections.put([...home, TIME, time, sequence, position], key);
    if (operation.session_id !== null) this.number(workspace, operation.session_id, operation.logical_operation_id);
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
    const number = this.stepCount(workspace, session) + 1;
    void steps.put([...home, lop], number);
    void steps.put([...home, session, number], lop);
  }

  /** At least all that the selection names, as few others as an index allows. */
  private candidates(workspace: WorkspaceName, selection: Resolved): Iterable<IndexedOperation> {
    switch (selection.by) {
      case 'operation':
        return this.under(workspace, selection.operation_id);
      case 'logical_operation':
        return this.under(workspace, selection.logical_operation_id);
      case 'session':
      case 'created':
        return this.under(workspace, selection.session_id);
      case 'path':
        return this.atAndBelow(workspace, selection.path, selection.below ?? false);
      case 'glob': {
        const start = literalStart(selection.glob);
        return start === '' ? this.narrowed(workspace, selection) : this.startingWith(workspace, start);
      }
      case 'agent':
      case 'since':
        return this.narrowed(workspace, selection);
    }
  }

  private narrowed(
    workspace: WorkspaceName,
    { session_id, agent, since_sequence = 0, since_time }: Resolved & { by: 'glob' | 'agent' | 'since' },
  ): Iterable<IndexedOperation> {
    if (session_id !== undefined) return this.under(workspace, session_id, since_sequence);
    if (agent !== undefined) return this.under(workspace, agentKey(agent), since_sequence);
    if (since_time !== undefined && since_sequence === 0)
      return this.under(workspace, TIME, Math.floor(Date.parse(since_time)));
    return this.under(workspace, ALL, since_sequence);
  }

  private *under(workspace: WorkspaceName, name: string, from = 0): Iterable<IndexedOperation> {
    const prefix: RowKey = [...homeOf(workspace), name];
    const range = { start: [...prefix, from] as RowKey, end: [...prefix, LAST] as RowKey };
    for (const { value } of this.environment.selections.getRange(range)) {
      const operation = this.environment.operations.get(value);
      if (operation) yield operation;
    }
  }

  private *at(workspace: WorkspaceName, path: string): Iterable<IndexedOperation> {
    const prefix: RowKey = [...homeOf(workspace), pathKey(path)];
    const range = { start: [...prefix, 0] as RowKey, end: [...prefix, LAST] as RowKey };
    for (const { value } of this.environment.operations.getRange(range)) if (value.path === path) yield value;
  }

  private *atAndBelow(workspace: WorkspaceName, path: string, below: boolean): Iterable<IndexedOperation> {
    yield* this.at(workspace, path);
    if (below) yield* this.startingWith(workspace, `${path}/`);
  }

  private *startingWith(workspace: WorkspaceName, text: string): Iterable<IndexedOperation> {
    const home = homeOf(workspace);
    const start = pathKey(text);
    const range = { start: [...home, start] as RowKey, end: [home[0], `${home[1]}\uffff`] as RowKey };
    for (const { key, value } of this.environment.operations.getRange(range)) {
      if (key[1] !== workspace || !String(key[2]).startsWith(start)) return;
      if (value.path.startsWith(text)) yield value;
    }
  }
}

/** All of a logical operation is of one session. */
const namesWhole = ({ by }: Resolved): boolean => by === 'session' || by === 'logical_operation' || by === 'created';

function namesOf(operation: IndexedOperation): string[] {
  const { operation_id, part_of, logical_operation_id, session_id, agent, kind } = operation;
  const work = kind === 'operation' ? [session_id, agentKey(agent), ALL] : [];
  return [...new Set([operation_id, part_of, logical_operation_id, ...work])].filter((name) => name !== null);
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
