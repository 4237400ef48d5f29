import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LogicalOperationId, WorkspaceName } from '@retrace/contracts';
import { id, principal } from '../domain/testing.js';
import type { LogicalOperationRow, OpenedRow } from '../domain/rows.js';
import { Deadlines } from './deadlines.js';

const WS = 'ws' as WorkspaceName;
const LOP = id<LogicalOperationId>('lop', 1);
const START = 1_000_000;
const open = (deadline: number): OpenedRow => ({
  status: 'open',
  agent: principal('writer'),
  session_id: id('ses', 1),
  deadline,
  parts: 0,
  paths: 0,
  pending: 0,
});

describe('deadlines', () => {
  let row: LogicalOperationRow | undefined;
  let passed: number[];
  let deadlines: Deadlines;

  beforeEach(() => {
    jest.useFakeTimers({ now: START });
    passed = [];
    deadlines = new Deadlines(
      () => row,
      () => passed.push(Date.now() - START),
    );
  });
  afterEach(() => {
    deadlines.close();
    jest.useRealTimers();
  });
  const watch = (changed: LogicalOperationRow | undefined): void => {
    row = changed;
    deadlines.watch(WS, LOP, changed);
  };

  it('pass at their time, and again until the logical operation is ended', () => {
    watch(open(START + 5_000));
    jest.advanceTimersByTime(4_999);
    expect(passed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(passed).toEqual([5_000]);
    jest.advanceTimersByTime(30_000);
    expect(passed).toEqual([5_000, 35_000]);
    watch({ ...open(0), status: 'aborted' });
    jest.advanceTimersByTime(100_000);
    expect(passed).toHaveLength(2);
  });

  it('that lie behind, as after a restart, pass at once', () => {
    watch(open(START - 1));
    jest.advanceTimersByTime(0);
    expect(passed).toEqual([0]);
  });

  it('count from the newest row', () => {
    watch(open(START + 1_000));
    watch({ ...open(START + 1_000), parts: 1 });
    jest.advanceTimersByTime(1_000);
    expect(passed).toEqual([1_000]);
  });

  it('of what is gone, or ended meanwhile, do not pass', () => {
    watch(open(START + 1_000));
    row = undefined;
    jest.advanceTimersByTime(100_000);
    expect(passed).toEqual([]);
  });

  it('are not looked at once the service stops', () => {
    watch(open(START + 1_000));
    deadlines.close();
    watch(open(START + 1_000));
    jest.advanceTimersByTime(100_000);
    expect(passed).toEqual([]);
  });
});
