import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventIdSchema, partitionOf } from '@retrace/contracts';
import { context, file, absent, HistoryBuilder } from '../../domain/testing/history-builder.js';
import { planOfFiles } from '../../domain/testing/rollback-plans.js';
import { StoreOnDisk } from '../../testing/open-store.js';
import { FOLD_VERSION } from './rollback-environment.js';

const { workspace } = context;
const lane = String(partitionOf(workspace));
const eventId = EventIdSchema.parse('evt_00000000-0000-7000-8000-000000000001');
const { plan } = planOfFiles(1);

describe('a store of an earlier shape', () => {
  let store: StoreOnDisk;
  beforeEach(() => {
    store = new StoreOnDisk();
    const past = new HistoryBuilder();
    past.applied('ann', { path: 'a', before: absent, after: file('A') });
    const place = { lane, workspace, eventId, position: { sequence: 5, eventId } };
    store.folds.fold(place, () => ({ operations: past.operations }));
  });
  afterEach(() => store.remove());
  const all = { by: 'since', since_sequence: 1 } as const;

  it('is folded again from the log, and keeps its plans, whose steps go where they are now', async () => {
    await store.environment.root.openDB({ name: 'meta' }).put('fold', FOLD_VERSION - 1);
    await store.environment.plans.put(plan.plan_hash, { plan, keptAt: 3 } as never);
    await store.reopen();
    expect(store.history.foldedTo(workspace)).toBe(0);
    expect(store.history.selected(workspace, all, 9)).toEqual([]);
    expect(store.plans.find(plan.plan_hash)).toMatchObject({ plan: { steps: [] }, parts: 1, keptAt: 3 });
    expect(store.plans.part(plan.plan_hash, 0)).toEqual(plan.steps);
    const place = { lane, workspace, eventId, position: { sequence: 5, eventId } };
    let folded = 0;
    store.folds.fold(place, () => ({ operations: [], ...(++folded && {}) }));
    expect(folded).toBe(1);
  });

  it('is left as it is where the shape is the same', async () => {
    await store.reopen();
    expect(store.history.foldedTo(workspace)).toBe(5);
    expect(store.history.selected(workspace, all, 9)).toHaveLength(1);
  });
});
