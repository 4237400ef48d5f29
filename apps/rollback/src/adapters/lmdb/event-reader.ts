import { partitionOf, type WorkspaceName } from '@retrace/contracts';
import type { IndexedOperation } from '../../domain/operation-index.js';
import type { RollbackEnvironment, RowKey } from './rollback-environment.js';

/**
 * A path may have more bytes than an LMDB key, so a key holds its beginning and rows are compared by their own path.
 * Keys sort like paths as far as they reach, which keeps everything below a folder together.
 */
const KEY_CHARACTERS = 256;
export const pathKey = (path: string): string => path.slice(0, KEY_CHARACTERS);
export const LAST = Number.MAX_SAFE_INTEGER;
/** Under these, beside ids, work is found: by time, by agent. No id looks like them. */
export const TIME = 'time';
export const agentKey = (agent: string): string => `agent ${agent}`;

const LANES = new Map<string, string>();

/** The lane is remembered: it is asked for with every row. */
export function homeOf(workspace: WorkspaceName): [lane: string, workspace: string] {
  const lane = LANES.get(workspace) ?? String(partitionOf(workspace));
  LANES.set(workspace, lane);
  return [lane, workspace];
}

/** Operations of an event in one row. */
export const PART = 256;
/** Rows held while an index is read: what lies together was mostly changed together. */
const MOST_PARTS = 64;

/** Reads events of a workspace by the indexes; for one question, during which nothing is folded. */
export class EventReader {
  private readonly home: [lane: string, workspace: string];
  private readonly parts = new Map<string, readonly IndexedOperation[]>();

  constructor(
    private readonly environment: RollbackEnvironment,
    workspace: WorkspaceName,
  ) {
    this.home = homeOf(workspace);
  }

  /** All work in order; rollbacks are none. */
  *all(from: number): Iterable<IndexedOperation> {
    const range = { start: [...this.home, from] as RowKey, end: [...this.home, LAST] as RowKey };
    for (const { value } of this.environment.operations.getRange(range))
      for (const operation of value) if (operation.kind === 'operation') yield operation;
  }

  *under(name: string, from = 0): Iterable<IndexedOperation> {
    const prefix: RowKey = [...this.home, name];
    const range = { start: [...prefix, from] as RowKey, end: [...prefix, LAST] as RowKey };
    for (const key of this.environment.selections.getKeys(range)) yield* this.event(Number(key[3]));
  }

  /** Work of events published at a time or later, ms since 1970. */
  *since(time: number): Iterable<IndexedOperation> {
    const prefix: RowKey = [...this.home, TIME];
    const range = { start: [...prefix, time] as RowKey, end: [...prefix, LAST] as RowKey };
    for (const key of this.environment.selections.getKeys(range)) yield* this.event(Number(key[4]));
  }

  *at(path: string): Iterable<IndexedOperation> {
    const prefix: RowKey = [...this.home, pathKey(path)];
    const range = { start: [...prefix, 0] as RowKey, end: [...prefix, LAST] as RowKey };
    for (const key of this.environment.paths.getKeys(range)) {
      const operation = this.one(key);
      if (operation?.path === path) yield operation;
    }
  }

  *atAndBelow(path: string, below: boolean): Iterable<IndexedOperation> {
    yield* this.at(path);
    if (below) yield* this.startingWith(`${path}/`);
  }

  *startingWith(text: string): Iterable<IndexedOperation> {
    const [lane, workspace] = this.home;
    const start = pathKey(text);
    const range = { start: [lane, workspace, start] as RowKey, end: [lane, `${workspace}\uffff`] as RowKey };
    for (const key of this.environment.paths.getKeys(range)) {
      if (key[1] !== workspace || !String(key[2]).startsWith(start)) return;
      const operation = this.one(key);
      if (operation?.path.startsWith(text)) yield operation;
    }
  }

  private *event(sequence: number): Iterable<IndexedOperation> {
    for (let part = 0; ; part++) {
      const operations = this.part(sequence, part);
      yield* operations;
      if (operations.length < PART) return;
    }
  }

  private one(key: RowKey): IndexedOperation | undefined {
    const [sequence, position] = [Number(key[3]), Number(key[4])];
    return this.part(sequence, Math.floor(position / PART))[position % PART];
  }

  private part(sequence: number, part: number): readonly IndexedOperation[] {
    const name = `${sequence} ${part}`;
    const operations = this.parts.get(name) ?? this.environment.operations.get([...this.home, sequence, part]) ?? [];
    if (this.parts.size >= MOST_PARTS) this.parts.clear();
    this.parts.set(name, operations);
    return operations;
  }
}
