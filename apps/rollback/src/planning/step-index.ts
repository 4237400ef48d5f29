import type { RestoreStep } from '@retrace/contracts';
import type { PlanStore } from '../ports/plan-store.port.js';

/** Plans whose steps are looked up in turn. */
const MOST_PLANS = 4;

/**
 * Finds the steps of a path without reading a plan as a whole each time: who shows a plan asks for path after path. A kept
 * plan does not change.
 */
export class StepIndex {
  /** Which parts of a plan have steps on a path, by plan and path; the plan that was asked for last is last. */
  private readonly plans = new Map<string, ReadonlyMap<string, readonly number[]>>();
  private last:
    { readonly planHash: string; readonly part: number; readonly steps: readonly RestoreStep[] } | undefined;

  constructor(private readonly store: PlanStore) {}

  /** In their order. `parts`: so many the plan has. */
  at(planHash: string, parts: number, path: string): RestoreStep[] {
    const numbers = this.partsOf(planHash, parts).get(path) ?? [];
    return numbers.flatMap((part) => this.part(planHash, part).filter((step) => step.path === path));
  }

  private partsOf(planHash: string, parts: number): ReadonlyMap<string, readonly number[]> {
    const known = this.plans.get(planHash) ?? this.read(planHash, parts);
    this.plans.delete(planHash);
    this.plans.set(planHash, known);
    for (const oldest of this.plans.keys()) {
      if (this.plans.size <= MOST_PLANS) break;
      this.plans.delete(oldest);
    }
    return known;
  }

  private read(planHash: string, parts: number): ReadonlyMap<string, readonly number[]> {
    const byPath = new Map<string, number[]>();
    for (let part = 0; part < parts; part++)
      for (const { path } of this.store.part(planHash, part)) {
        const numbers = byPath.get(path);
        if (!numbers) byPath.set(path, [part]);
        else if (numbers.at(-1) !== part) numbers.push(part);
      }
    return byPath;
  }

  private part(planHash: string, part: number): readonly RestoreStep[] {
    if (this.last?.planHash === planHash && this.last.part === part) return this.last.steps;
    const steps = this.store.part(planHash, part);
    this.last = { planHash, part, steps };
    return steps;
  }
}
