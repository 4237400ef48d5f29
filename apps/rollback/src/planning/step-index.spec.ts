import { describe, expect, it } from '@jest/globals';
import { MAX_STEPS_PER_REQUEST, type RestoreStep } from '@retrace/contracts';
import { absent, file, opId, stepOf } from '../domain/testing/history-builder.js';
import type { KeptPlan, PlanStore } from '../ports/plan-store.port.js';
import { StepIndex } from './step-index.js';

/** Plans in parts; counts the parts that are read. */
class Parts implements PlanStore {
  reads = 0;

  constructor(private readonly parts: Readonly<Record<string, readonly (readonly RestoreStep[])[]>>) {}

  keep(): void {
    throw new Error('not asked for');
  }

  find(): KeptPlan | undefined {
    throw new Error('not asked for');
  }

  part(planHash: string, part: number): readonly RestoreStep[] {
    this.reads++;
    return this.parts[planHash]?.[part] ?? [];
  }
}

const removed = (path: string) => stepOf(path, file('F'), absent, opId(1));
const made = (path: string) => stepOf(path, absent, file('F'), opId(1));

describe('the steps of a path', () => {
  it('are all that the plan has on it, in their order, whatever part they are in', () => {
    const store = new Parts({ p: [[removed('a'), removed('b')], [made('b')], [made('a'), made('c')]] });
    const index = new StepIndex(store);
    expect(index.at('p', 3, 'a')).toEqual([removed('a'), made('a')]);
    expect(index.at('p', 3, 'b')).toEqual([removed('b'), made('b')]);
    expect(index.at('p', 3, 'c')).toEqual([made('c')]);
    expect(index.at('p', 3, 'd')).toEqual([]);
  });

  it('are of the plan that is asked for', () => {
    const plans = Object.fromEntries(Array.from('pqrstu', (name) => [name, [[made(name)]]]));
    const index = new StepIndex(new Parts(plans));
    for (const name of 'pqrstupqrstu') {
      expect(index.at(name, 1, name)).toEqual([made(name)]);
      expect(index.at(name, 1, 'a')).toEqual([]);
    }
  });

  it('cost no more reads than twice the parts when path after path is asked for', () => {
    const paths = Array.from({ length: 40 }, (_, part) =>
      Array.from({ length: MAX_STEPS_PER_REQUEST }, (_each, at) => made(`f${part}-${at}`)),
    );
    const store = new Parts({ p: paths });
    const index = new StepIndex(store);
    for (const { path } of paths.flat()) expect(index.at('p', paths.length, path)).toHaveLength(1);
    expect(store.reads).toBeLessThanOrEqual(2 * paths.length);
  });
});
