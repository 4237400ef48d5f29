import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_STEPS_PER_REQUEST, RollbackIdSchema } from '@retrace/contracts';
import { planOfFiles } from '../../domain/testing/rollback-plans.js';
import { MAX_PLANS, PLAN_LIFETIME_MS } from '../../ports/plan-store.port.js';
import { StoreOnDisk } from '../../testing/open-store.js';

const { plan } = planOfFiles(1);
const named = (number: number) => ({ ...plan, plan_hash: number.toString(16).padStart(64, '0') });
const rollback = RollbackIdSchema.parse('rbk_00000000-0000-7000-8000-000000000001');

describe('kept plans', () => {
  let store: StoreOnDisk;
  beforeEach(() => {
    store = new StoreOnDisk();
  });
  afterEach(() => store.remove());
  const isKept = (number: number): boolean => store.plans.find(named(number).plan_hash) !== undefined;
  const pin = (number: number, needed: boolean): void =>
    store.environment.root.transactionSync(() => store.plans.pin(named(number).plan_hash, rollback, needed));

  it('are found by their hash, after a restart too', async () => {
    store.plans.keep(named(1), 0);
    await store.reopen();
    expect(store.plans.find(named(1).plan_hash)).toEqual({ plan: { ...named(1), steps: [] }, parts: 1, keptAt: 0 });
    expect(store.plans.part(named(1).plan_hash, 0)).toEqual(named(1).steps);
    expect(isKept(2)).toBe(false);
  });

  it('keep their steps in the parts in which they run, and lose them with the plan', () => {
    const large = planOfFiles(MAX_STEPS_PER_REQUEST + 1).plan;
    store.plans.keep(large, 0);
    const part = (number: number) => store.plans.part(large.plan_hash, number);
    expect(store.plans.find(large.plan_hash)).toMatchObject({ parts: 2 });
    expect([...part(0), ...part(1)]).toEqual(large.steps);
    expect(part(0)).toHaveLength(MAX_STEPS_PER_REQUEST);
    store.plans.keep(named(1), 2 * PLAN_LIFETIME_MS);
    expect([part(0), part(1)]).toEqual([[], []]);
  });

  it('go after a day, counted from when they were last asked for', () => {
    store.plans.keep(named(1), 0);
    store.plans.keep(named(2), 0);
    store.plans.keep(named(1), 10);
    store.plans.keep(named(3), PLAN_LIFETIME_MS + 5);
    expect([1, 2, 3].map(isKept)).toEqual([true, false, true]);
  });

  it('stay while a rollback needs them', () => {
    store.plans.keep(named(1), 0);
    pin(1, true);
    store.plans.keep(named(2), 2 * PLAN_LIFETIME_MS);
    expect(isKept(1)).toBe(true);
    pin(1, false);
    store.plans.keep(named(3), 2 * PLAN_LIFETIME_MS);
    expect(isKept(1)).toBe(false);
  });

  it('are so many at most, the oldest going first', () => {
    for (let number = 0; number <= MAX_PLANS; number++) store.plans.keep(named(number), number);
    expect([0, 1, MAX_PLANS].map(isKept)).toEqual([false, true, true]);
  });
});
