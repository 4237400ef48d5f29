import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  partitionOf,
  PrincipalSchema,
  type WorkspaceName,
  WorkspaceNameSchema,
  WorkspacePathSchema,
} from '@retrace/contracts';
import type { IndexedOperation } from '../../domain/operation-index.js';
import {
  absent,
  context,
  directory,
  file,
  HistoryBuilder,
  lopId,
  moved,
  opId,
  pathOf,
  sessionOf,
  stepOf,
} from '../../domain/testing/history-builder.js';
import { type Resolved, selectFrom } from '../../domain/selecting.js';
import { pathGlob } from '@retrace/path-globs';
import { appliedEvent } from '../../testing/stored-events.js';
import { StoreOnDisk } from '../../testing/open-store.js';

const { workspace } = context;
const lane = String(partitionOf(workspace));

describe('the operation index on disk', () => {
  let store: StoreOnDisk;
  beforeEach(() => {
    store = new StoreOnDisk();
  });
  afterEach(() => store.remove());

  /** Folds a history into a workspace as the lane would. */
  const folded = (past: HistoryBuilder, into: WorkspaceName = workspace): void => {
    for (const sequence of new Set(past.operations.map((operation) => operation.sequence))) {
      const operations = past.operations.filter((operation) => operation.sequence === sequence);
      const event = appliedEvent(operations);
      const place = { lane: String(partitionOf(into)), workspace: into, eventId: event.id };
      store.folds.fold({ ...place, position: { sequence, eventId: event.id } }, () => ({ operations }));
    }
  };
  const paths = (rows: readonly IndexedOperation[]): string[] => rows.map(({ path }) => path).toSorted();
  const created = (...names: readonly string[]): HistoryBuilder => {
    const past = new HistoryBuilder();
    for (const path of names) past.applied('ann', { path, before: absent, after: file('F') });
    return past;
  };

  it('answers what is selected by operation, logical operation and session, whole and in order', () => {
    const past = created('a');
    past.applied(
      'ann',
      { path: 'b', before: absent, after: file('B') },
      { path: 'c', before: absent, after: file('C') },
    );
    past.applied('bob', { path: 'd', before: absent, after: file('D') });
    past.rolledBack('ann', { steps: [] });
    folded(past);
    const select = store.history.selected.bind(store.history, workspace);
    expect(select({ by: 'operation', operation_id: opId(2) }, 9)).toEqual([past.operations[1]]);
    expect(select({ by: 'logical_operation', logical_operation_id: lopId(2) }, 9)).toEqual(past.operations.slice(1, 3));
    expect(select({ by: 'session', session_id: sessionOf('ann') }, 9)).toEqual(past.operations.slice(0, 3));
    expect(select({ by: 'session', session_id: sessionOf('ann') }, 2)).toHaveLength(2);
    expect(select({ by: 'session', session_id: sessionOf('nobody') }, 9)).toEqual([]);
  });

  it('finds by agent, time, path and glob what a look at everything finds', () => {
    const past = new HistoryBuilder();
    past.applied(
      'ann',
      { path: 'd/x', before: absent, after: file('X') },
      { path: 'e', before: absent, after: file('E') },
    );
    past.applied('bob', { path: 'd/y', before: absent, after: file('Y') }, ...moved('d/x', 'f', file('X')));
    past.applied('bobby', { path: 'd', before: absent, after: file('D') });
    const lop = past.applied('ann', { path: 'd/x', before: absent, after: file('N') });
    past.appliedMore('ann', lop, { path: 'g', before: absent, after: file('G') });
    past.rolledBack('ann', { steps: [stepOf('d/x', file('N'), absent, opId(7))] });
    folded(past);
    const ann = PrincipalSchema.parse('ann');
    const bob = PrincipalSchema.parse('bob');
    const selections: Resolved[] = [
      { by: 'agent', agent: ann },
      { by: 'agent', agent: bob },
      { by: 'agent', agent: ann, since_sequence: 5 },
      { by: 'since', since_sequence: 2 },
      { by: 'since', since_time: '1970-01-01T00:00:03.000Z' },
      { by: 'since', since_time: '1970-01-01T00:00:01.000Z', agent: bob },
      { by: 'since', since_time: '1970-01-01T00:00:01.000Z', since_sequence: 3 },
      { by: 'since', since_sequence: 1, session_id: sessionOf('bobby') },
      { by: 'path', path: pathOf('d') },
      { by: 'path', path: pathOf('d'), below: true },
      { by: 'path', path: pathOf('d/x'), agent: ann },
      { by: 'glob', glob: 'd/**' },
      { by: 'glob', glob: '[de]' },
      { by: 'glob', glob: '**', session_id: sessionOf('ann') },
      { by: 'created', session_id: sessionOf('ann') },
      { by: 'operation', operation_id: opId(4) },
    ];
    for (const selection of selections) {
      const found = store.history.selected(workspace, selection, 99).map(({ operation_id }) => operation_id);
      const expected = selectFrom(past.operations, selection, pathGlob);
      expect([selection, found.toSorted()]).toEqual([selection, [...expected].toSorted()]);
      expect(expected.size).toBeGreaterThan(0);
    }
  });

  it('finds an operation with its parts', () => {
    const past = new HistoryBuilder();
    past.applied(
      'ann',
      { path: 'd/x', before: file('X'), after: absent, part_of: opId(3) },
      { path: 'd/y', before: file('Y'), after: absent, part_of: opId(3) },
      { path: 'd', before: directory, after: absent },
      { path: 'e', before: file('E'), after: absent },
    );
    folded(past);
    const found = store.history.selected(workspace, { by: 'operation', operation_id: opId(3) }, 9);
    expect(found).toEqual(past.operations.slice(0, 3));
  });

  it('numbers the logical operations of a session, its parts once and rollbacks not', () => {
    const past = new HistoryBuilder();
    const one = past.applied('ann', { path: 'a', before: absent, after: file('A') });
    past.applied('bob', { path: 'b', before: absent, after: file('B') });
    past.appliedMore('ann', one, { path: 'c', before: absent, after: file('C') });
    past.rolledBack('ann', { steps: [stepOf('a', file('A'), absent, opId(1))] });
    const two = past.applied('ann', { path: 'e', before: absent, after: file('E') });
    folded(past);
    const ann = sessionOf('ann');
    expect([1, 2, 3].map((step) => store.history.stepOf(workspace, ann, step))).toEqual([one, two, undefined]);
    expect(
      [ann, sessionOf('bob'), sessionOf('cid')].map((session) => store.history.stepCount(workspace, session)),
    ).toEqual([2, 1, 0]);
  });

  it('does not count rollbacks as work of a session', () => {
    const past = created('a');
    const rollback = past.rolledBack('ann', {
      steps: [stepOf('a', file('F'), absent, opId(1))],
    });
    folded(past);
    expect(store.history.selected(workspace, { by: 'session', session_id: sessionOf('ann') }, 9)).toHaveLength(1);
    const selection = { by: 'logical_operation', logical_operation_id: rollback } as const;
    expect(store.history.selected(workspace, selection, 9)).toEqual([past.operations[1]]);
  });

  it('finds what lies on a path and below a folder, and nothing beside it', () => {
    folded(created('d', 'd-', 'd.txt', 'd/x', 'd/e/z', 'd/\u0001', 'd/\u{1F4DC}', 'd0', 'da/y', 'e'));
    const below = store.history.around(workspace, { exact: [], folders: [WorkspacePathSchema.parse('d')] }, 99);
    expect(paths(below)).toEqual(['d/\u0001', 'd/e/z', 'd/x', 'd/\u{1F4DC}'].toSorted());
    const exact = store.history.around(workspace, { exact: [WorkspacePathSchema.parse('d')], folders: [] }, 99);
    expect(paths(exact)).toEqual(['d']);
  });

  it('holds paths that are longer than a key, and tells them apart', () => {
    const folder = Array.from({ length: 15 }, (_, i) => `${i}-${'\u{1F4DC}'.repeat(60)}`).join('/');
    folded(created(`${folder}/x`, `${folder}/y`, `${folder}y/x`));
    const around = (name: 'exact' | 'folders', path: string) =>
      store.history.around(workspace, { exact: [], folders: [], [name]: [WorkspacePathSchema.parse(path)] }, 99);
    expect(paths(around('exact', `${folder}/x`))).toEqual([`${folder}/x`]);
    expect(paths(around('folders', folder))).toEqual([`${folder}/x`, `${folder}/y`]);
  });

  it('keeps workspaces of one partition apart', () => {
    const twin = Array.from({ length: 500 }, (_, i) => `${workspace}-${i}`).find(
      (name) => partitionOf(name) === partitionOf(workspace),
    );
    const other = WorkspaceNameSchema.parse(twin);
    folded(created('d/x'));
    const past = created('d/x', 'd/y');
    for (const operation of past.operations)
      store.folds.fold(
        { lane, workspace: other, eventId: appliedEvent([operation]).id, position: { sequence: 10, eventId: 'e' } },
        () => ({ operations: [operation] }),
      );
    const around = { exact: [], folders: [WorkspacePathSchema.parse('d')] };
    expect(store.history.around(workspace, around, 9)).toHaveLength(1);
    expect(store.history.around(other, around, 9)).toHaveLength(2);
  });

  it('is there after a restart, and gone once its lane is forgotten', async () => {
    folded(created('a'));
    await store.reopen();
    const selection = { by: 'session', session_id: sessionOf('ann') } as const;
    expect(store.history.selected(workspace, selection, 9)).toHaveLength(1);
    expect(store.history.foldedTo(workspace)).toBe(1);
    store.folds.forget(lane === '0' ? '1' : '0');
    expect(store.history.selected(workspace, selection, 9)).toHaveLength(1);
    store.folds.forget(lane);
    expect(store.history.selected(workspace, selection, 9)).toEqual([]);
    expect(store.history.foldedTo(workspace)).toBe(0);
    folded(created('a'));
    expect(store.history.selected(workspace, selection, 9)).toHaveLength(1);
  });

  it('folds an event once, however often and wherever it comes', () => {
    const [operation] = created('a').operations;
    const event = appliedEvent([operation!]);
    for (const sequence of [1, 1, 7])
      store.folds.fold({ lane, workspace, eventId: event.id, position: { sequence, eventId: event.id } }, () => ({
        operations: [{ ...operation!, sequence }],
      }));
    const selection = { by: 'session', session_id: sessionOf('ann') } as const;
    expect(store.history.selected(workspace, selection, 9)).toEqual([operation]);
    expect(store.history.foldedTo(workspace)).toBe(7);
  });

  it('keeps neither effect nor position of a fold that fails', () => {
    const fold = (): void =>
      store.folds.fold(
        { lane, workspace, eventId: appliedEvent(created('a').operations).id, position: { sequence: 1, eventId: 'e' } },
        () => {
          throw new Error('no');
        },
      );
    expect(fold).toThrow('no');
    expect(store.history.foldedTo(workspace)).toBe(0);
  });
});
