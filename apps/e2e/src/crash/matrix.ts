import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@retrace/testing';
import { Comparison, shapeOf } from './comparison.js';
import { Errand } from './errand.js';
import type { Place } from './failpoint-folder.js';
import { SCENARIO } from './scenario.js';
import { SERVICES, type TriedSystem } from './tried-system.js';

/** A place to die at: which steps of the scenario pass by it, and how often. */
export interface Candidate {
  readonly name: string;
  /** `undefined`: the whole system. */
  readonly service: string | undefined;
  readonly passes: readonly (readonly [step: string, times: number])[];
}

interface Round {
  readonly places: readonly Place[];
  readonly steps: ReadonlySet<string>;
}

/** For what is done a moment after the answer. */
const LATE_MS = 1_500;
/** No other name for so long: none is to come. */
const SETTLED_MS = 300;
const COMPARE_MS = 30_000;
const MOST_TRIES = 3;

/** Kills at one place after the other while the scenario runs, and compares after each death. */
export class Matrix {
  /** Failpoints at which somebody died. */
  readonly hit = new Set<string>();
  readonly errands: Errand[] = [];
  readonly comparison: Comparison;
  /** What each step leaves where nobody dies. */
  private readonly shapes = new Map<string, Record<string, string>>();

  constructor(private readonly tried: TriedSystem) {
    this.comparison = new Comparison(tried);
  }

  /** Runs the scenario with nobody dying, and answers who comes by which failpoint, where. */
  async discover(): Promise<Candidate[]> {
    const found = new Map<string, { name: string; service: string | undefined; passes: [string, number][] }>();
    const services = this.services();
    for (const step of Object.keys(SCENARIO)) {
      this.tried.failpoints.forgetPassed();
      await this.run({ places: [], steps: new Set([step]) });
      await this.noNameIsNew();
      for (const [name, by] of this.tried.failpoints.passed())
        for (const [pid, times] of by) {
          const service = services.get(pid);
          const candidate = found.get(`${name} ${service}`) ?? { name, service, passes: [] };
          found.set(`${name} ${service}`, candidate);
          candidate.passes.push([step, times]);
        }
    }
    return [...found.values()];
  }

  /** What is done a moment after the answer comes by too. */
  private async noNameIsNew(): Promise<void> {
    const names = (): number => this.tried.failpoints.passed().size;
    for (let before = -1; before < names(); await sleep(SETTLED_MS)) before = names();
  }

  /** A death of each service in a round, each at another place, in the steps that come by. */
  async killAt(candidates: readonly Candidate[]): Promise<void> {
    const waiting = byService(candidates);
    for (let turn = 0; waiting.size > 0; turn++) {
      const armed = [...waiting].map(([service, left]) => {
        const next = left.shift()!;
        if (left.length === 0) waiting.delete(service);
        return next;
      });
      await this.until(armed, turn);
    }
  }

  /** In another step where nobody came by. */
  private async until(armed: readonly Candidate[], turn: number): Promise<void> {
    let left = armed;
    for (let tries = 0; left.length > 0 && tries < MOST_TRIES; tries++) {
      const chosen = left.map((one) => ({ one, pass: one.passes[(turn + tries) % one.passes.length]! }));
      const places = await eventually(() =>
        // Every other one in the middle of what comes by; where others run beside it, the first is safer.
        chosen.map(({ one, pass }) =>
          this.tried.place(one.name, one.service, tries === 0 && turn % 2 === 1 ? Math.ceil(pass[1] / 2) : 1),
        ),
      );
      await this.round({ places, steps: new Set(chosen.map(({ pass }) => pass[0])) });
      places.forEach((place) => this.tried.failpoints.hit(place) && this.hit.add(place.name));
      left = left.filter((_, i) => !this.tried.failpoints.hit(places[i]!));
    }
  }

  private async round(round: Round): Promise<void> {
    try {
      for (const place of round.places) this.tried.failpoints.arm(place);
      await this.run(round);
    } catch (cause) {
      const where = round.places.map(({ name }) => name).join(', ');
      throw new Error(`killed at ${where}: ${(cause as Error).message}`, { cause });
    }
  }

  private async run({ places, steps }: Round): Promise<void> {
    const errands = [...steps].map((step) => ({ step, errand: this.errand() }));
    await Promise.all(errands.map(({ step, errand }) => this.tried.carryOut(SCENARIO[step]!, errand)));
    await eventually(() => this.requireHit(places), LATE_MS).catch(() => undefined);
    this.tried.failpoints.disarm();
    await eventually(() => this.comparison.look(errands.map(({ errand }) => errand)), COMPARE_MS);
    for (const { step, errand } of errands) this.requireSame(step, errand);
  }

  private errand(): Errand {
    const errand = new Errand(this.tried.folder, folderOf(this.errands.length));
    this.errands.push(errand);
    return errand;
  }

  private requireHit(places: readonly Place[]): void {
    if (!places.every((place) => this.tried.failpoints.hit(place))) throw new Error('nobody came by');
  }

  /** Whoever died, all of it was done, as it is where nobody dies. */
  private requireSame(step: string, { root, folder }: Errand): void {
    const shape = shapeOf(root, folder);
    const before = this.shapes.get(step) ?? shape;
    this.shapes.set(step, before);
    assert.deepEqual(shape, before, step);
  }

  private services(): ReadonlyMap<number, string> {
    return new Map(this.tried.mode === 'cluster' ? SERVICES.map((one) => [this.tried.pidOf(one), one]) : []);
  }
}

function byService(candidates: readonly Candidate[]): Map<string | undefined, Candidate[]> {
  const services = new Map<string | undefined, Candidate[]>();
  for (const one of candidates) services.set(one.service, [...(services.get(one.service) ?? []), one]);
  return services;
}

/** Steps find their folders ready: what stands in them is on record from the beginning. */
export const folderOf = (errand: number): string => `f${errand}`;
