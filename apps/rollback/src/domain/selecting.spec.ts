import { describe, expect, it } from '@jest/globals';
import { pathGlob } from '@retrace/path-globs';
import { createdBy } from './created-objects.js';
import { History } from './history.js';
import { type Resolved, selectFrom } from './selecting.js';
import { absent, directory, file, HistoryBuilder, moved, opId, pathOf, sessionOf } from './testing/history-builder.js';
import { PrincipalSchema } from '@retrace/contracts';

const create = (path: string) => ({ path, before: absent, after: file('F') });

describe('a selection', () => {
  const past = new HistoryBuilder();
  past.applied('ann', create('a'), create('d/x'));
  past.applied('bob', create('b'), { ...create('d/y'), part_of: opId(3) });
  past.applied('ann', create('d'), ...moved('d/x', 'm', file('F')));
  past.rolledBack('ann', { steps: [] });
  const numbers = (selection: Resolved): number[] =>
    [...selectFrom(past.operations, selection, pathGlob)]
      .map((id) => past.operations.findIndex(({ operation_id }) => operation_id === id) + 1)
      .toSorted((a, b) => a - b);
  const ann = PrincipalSchema.parse('ann');

  it('of an operation takes its parts, and only the other end with one end of a move', () => {
    expect(numbers({ by: 'operation', operation_id: opId(3) })).toEqual([3, 4]);
    expect(numbers({ by: 'operation', operation_id: opId(4) })).toEqual([4]);
    expect(numbers({ by: 'operation', operation_id: opId(6) })).toEqual([6, 7]);
  });

  it('of an agent, a session or a time takes whole logical operations', () => {
    expect(numbers({ by: 'agent', agent: ann })).toEqual([1, 2, 5, 6, 7]);
    expect(numbers({ by: 'agent', agent: ann, since_sequence: 2 })).toEqual([5, 6, 7]);
    expect(numbers({ by: 'agent', agent: ann, since_time: '1970-01-01T00:00:02.500Z' })).toEqual([5, 6, 7]);
    expect(numbers({ by: 'since', since_sequence: 2 })).toEqual([3, 4, 5, 6, 7]);
    expect(numbers({ by: 'since', since_sequence: 2, session_id: sessionOf('bob') })).toEqual([3, 4]);
    expect(() => numbers({ by: 'since', agent: ann })).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });

  it('of paths takes single records', () => {
    expect(numbers({ by: 'path', path: pathOf('d') })).toEqual([5]);
    expect(numbers({ by: 'path', path: pathOf('d'), below: true })).toEqual([2, 4, 5, 6, 7]);
    expect(numbers({ by: 'path', path: pathOf('d'), below: true, agent: PrincipalSchema.parse('bob') })).toEqual([4]);
    expect(numbers({ by: 'glob', glob: 'd/*' })).toEqual([2, 4, 6, 7]);
  });

  it('counts no rollback as work, except by its own id', () => {
    const undone = new HistoryBuilder();
    undone.applied('ann', create('a'));
    const { path, before, after, operation_id } = undone.operations[0]!;
    const step = {
      path,
      expect: after,
      restore: before,
      compensates: [operation_id],
      how: 'restore',
      keeps: [],
    } as const;
    const lop = undone.rolledBack('ann', { steps: [{ ...step, compensates: [operation_id], keeps: [] }] });
    const size = (selection: Resolved) => selectFrom(undone.operations, selection, pathGlob).size;
    expect([size({ by: 'path', path }), size({ by: 'since', since_sequence: 1 })]).toEqual([1, 1]);
    expect(size({ by: 'logical_operation', logical_operation_id: lop })).toBe(1);
  });
});

describe('what a session created', () => {
  const created = (past: HistoryBuilder, glob = '**') =>
    past.operations
      .filter(({ operation_id }) =>
        createdBy(new History(past.operations), sessionOf('ann'), pathGlob(glob)).has(operation_id),
      )
      .map(({ path, operation_id }) => `${path} ${Number.parseInt(operation_id.slice(-4), 16)}`);

  it('is what it made, with all that it did to it since, by the present name', () => {
    const past = new HistoryBuilder();
    past.applied('ann', create('a'), { path: 'a', before: file('F'), after: file('G') }, ...moved('a', 'b', file('G')));
    past.applied(
      'ann',
      { path: 'd', before: absent, after: directory },
      { path: 'old', before: file('0'), after: file('1') },
    );
    expect(created(past)).toEqual(['a 1', 'a 2', 'b 3', 'a 4', 'd 5']);
    expect(created(past, 'b')).toEqual(['a 1', 'a 2', 'b 3', 'a 4']);
    expect(created(past, 'a')).toEqual([]);
  });

  it('is also what others changed since, which the plan then leaves out; nothing that is gone', () => {
    const past = new HistoryBuilder();
    past.applied('ann', create('edited'), create('moved'), create('gone'), create('stays'));
    past.applied('bob', { path: 'edited', before: file('F'), after: file('B') }, ...moved('moved', 'm', file('F')));
    past.applied('ann', { path: 'gone', before: file('F'), after: absent });
    expect(created(past)).toEqual(['edited 1', 'moved 2', 'stays 4']);
  });

  it('is nothing that it only moved', () => {
    const past = new HistoryBuilder();
    past.applied('ann', ...moved('others', 'b', file('F')));
    expect(created(past)).toEqual([]);
  });
});
