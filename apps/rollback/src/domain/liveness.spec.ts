import { describe, expect, it } from '@jest/globals';
import type { RestoreStep } from '@retrace/contracts';
import { liveOperations } from './liveness.js';
import { absent, file, HistoryBuilder, opId, stepOf } from './testing/history-builder.js';

describe('an operation is live unless a live compensation takes it back', () => {
  const past = new HistoryBuilder();
  const step = (number: number): { steps: RestoreStep[] } => ({
    steps: [stepOf('a', file('A'), absent, opId(number))],
  });
  const live = () => [...liveOperations(past.operations)].toSorted();

  it('over undo, redo and undo again', () => {
    past.applied('ann', { path: 'a', before: absent, after: file('A') });
    expect(live()).toEqual([opId(1)]);
    past.rolledBack('ann', step(1));
    expect(live()).toEqual([opId(2)]);
    past.rolledBack('ann', step(2));
    expect(live()).toEqual([opId(1), opId(3)]);
    past.rolledBack('ann', step(1));
    expect(live()).toEqual([opId(3), opId(4)]);
  });
});
