import { describe, expect, it } from '@jest/globals';
import { type PathState, samePathState } from '@retrace/contracts';
import * as fc from 'fast-check';
import { type Evidence, progressOf, type StepStates } from './progress.js';

/** States that differ by mode alone are enough. */
const at = (mode: number): PathState => (mode === 0 ? { kind: 'absent' } : { kind: 'directory', mode });

function step(path: string, from: number, to: number, evidence: Evidence = 'unknown'): StepStates {
  return { path, from: at(from), to: at(to), evidence };
}
const present = (states: Record<string, number>) =>
  new Map(Object.entries(states).map(([path, mode]) => [path, at(mode)]));

describe('a count that fits', () => {
  const steps = [step('a', 0, 1), step('b', 1, 2), step('a', 1, 3)];

  it.each([
    [0, { a: 0, b: 1 }],
    [1, { a: 1, b: 1 }],
    [2, { a: 1, b: 2 }],
    [3, { a: 3, b: 2 }],
  ])('%i', (applied, states) => {
    expect(progressOf(steps, present(states))).toEqual({ kind: 'known', applied });
  });

  it('is told from another by what lies in staging', () => {
    const there = (evidence: Evidence) => [step('a', 0, 1, evidence), step('a', 1, 0)];
    expect(progressOf(there('not_applied'), present({ a: 0 }))).toEqual({ kind: 'known', applied: 0 });
    expect(progressOf(there('applied'), present({ a: 0 }))).toEqual({ kind: 'known', applied: 2 });
    expect(progressOf(there('unknown'), present({ a: 0 }))).toEqual({ kind: 'known', applied: 2 });
  });
});

describe('somebody else', () => {
  const steps = [step('a', 0, 1), step('b', 0, 1), step('c', 0, 1)];

  it('is told by a state that no step knows; the others still say how far it came', () => {
    expect(progressOf(steps, present({ a: 1, b: 9, c: 0 }))).toEqual({ kind: 'foreign', applied: 2, paths: ['b'] });
    expect(progressOf(steps, present({ a: 9, b: 1, c: 1 }))).toEqual({ kind: 'foreign', applied: 3, paths: ['a'] });
    expect(progressOf(steps, present({ a: 1, b: 1, c: 9 }))).toMatchObject({ kind: 'foreign', paths: ['c'] });
  });

  it('is told by a path that was put back or forward out of order', () => {
    expect(progressOf(steps, present({ a: 0, b: 1, c: 1 }))).toEqual({ kind: 'foreign', applied: 3, paths: ['a'] });
  });

  it('is told by staging where the states alone would fit', () => {
    const one = [step('a', 1, 2, 'not_applied')];
    expect(progressOf(one, present({ a: 2 }))).toEqual({ kind: 'foreign', applied: 0, paths: ['a'] });
    const two = [step('a', 1, 2, 'applied')];
    expect(progressOf(two, present({ a: 1 }))).toEqual({ kind: 'foreign', applied: 1, paths: ['a'] });
  });

  it('in staging makes its word worthless', () => {
    const steps2 = [step('a', 0, 1, 'not_applied'), step('b', 0, 1, 'applied')];
    expect(progressOf(steps2, present({ a: 1, b: 1 }))).toEqual({ kind: 'known', applied: 2 });
  });
});

describe('for any chain of steps', () => {
  const paths = ['a', 'b', 'c'];
  /** Each step goes on from the state that the one before it on the same path left. */
  const chain = fc
    .array(fc.record({ path: fc.constantFrom(...paths), to: fc.nat(3) }), { maxLength: 8 })
    .map((wanted) => {
      const now: Record<string, number> = { a: 0, b: 1, c: 2 };
      return wanted.map(({ path, to }) => {
        const made = step(path, now[path]!, to);
        now[path] = to;
        return made;
      });
    });
  const statesAfter = (steps: readonly StepStates[], applied: number): Map<string, PathState> => {
    const states = present({ a: 0, b: 1, c: 2 });
    for (const { path, to } of steps.slice(0, applied)) states.set(path, to);
    return states;
  };

  it('the count that is found leaves exactly what is there', () => {
    fc.assert(
      fc.property(chain, fc.nat(8), (steps, wanted) => {
        const states = statesAfter(steps, wanted);
        const progress = progressOf(steps, states);
        expect(progress.kind).toBe('known');
        for (const [path, state] of statesAfter(steps, progress.applied))
          expect(samePathState(state, states.get(path)!)).toBe(true);
      }),
    );
  });

  it('with the word of staging it is the true one', () => {
    fc.assert(
      fc.property(chain, fc.nat(8), (steps, wanted) => {
        const applied = Math.min(wanted, steps.length);
        const told = steps.map((one, i) => ({
          ...one,
          evidence: (i < applied ? 'applied' : 'not_applied') as Evidence,
        }));
        expect(progressOf(told, statesAfter(steps, applied))).toEqual({ kind: 'known', applied });
      }),
    );
  });

  it('a strange state is found, and nobody else is blamed', () => {
    fc.assert(
      fc.property(chain, fc.nat(8), fc.nat(7), (steps, wanted, which) => {
        fc.pre(steps.length > 0);
        const { path } = steps[which % steps.length]!;
        const states = statesAfter(steps, wanted).set(path, at(9));
        expect(progressOf(steps, states)).toMatchObject({ kind: 'foreign', paths: [path] });
      }),
    );
  });
});
