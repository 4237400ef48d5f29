import { describe, expect, it } from '@jest/globals';
import type { RestoreStep } from '@retrace/contracts';
import * as fc from 'fast-check';
import { keepPairsTogether, partsOf } from './step-parts.js';
import { absent, file, opId, pathOf, stepOf } from './testing/history-builder.js';

const plain = (path: string): RestoreStep => stepOf(path, file('F'), absent, opId(1));
const taking = (path: string, to: string): RestoreStep => ({ ...plain(path), moves_to: pathOf(to) });
const placing = (path: string, from: string): RestoreStep => ({
  ...stepOf(path, absent, file('F'), opId(2)),
  moves_from: pathOf(from),
});
const paths = (parts: readonly (readonly RestoreStep[])[]) =>
  parts.map((part) => part.map(({ path }) => path).join(''));

describe('parts of a plan', () => {
  it('have so many steps at most', () => {
    const steps = ['a', 'b', 'c', 'd', 'e'].map(plain);
    expect(paths(partsOf(steps, 2))).toEqual(['ab', 'cd', 'e']);
    expect(partsOf([], 2)).toEqual([]);
  });

  it('hold both ends of a move', () => {
    const steps = [plain('a'), taking('b', 'c'), placing('c', 'b'), plain('d')];
    expect(paths(partsOf(steps, 2))).toEqual(['a', 'bc', 'd']);
    expect(keepPairsTogether(steps, 2)).toEqual(steps);
  });

  it('make a new object where a move does not fit', () => {
    const steps = [taking('a', 'e'), plain('b'), plain('c'), placing('e', 'a')];
    expect(keepPairsTogether(steps, 3)).toEqual([
      plain('a'),
      plain('b'),
      plain('c'),
      stepOf('e', absent, file('F'), opId(2)),
    ]);
    expect(keepPairsTogether(steps, 4)).toEqual(steps);
  });

  it('never part the ends of a move that is left, and lose no step', () => {
    const places = fc.shuffledSubarray(
      Array.from({ length: 12 }, (_, i) => i),
      { minLength: 12 },
    );
    fc.assert(
      fc.property(places, fc.nat(6), fc.integer({ min: 2, max: 6 }), (order, pairs, most) => {
        const steps = order.map((number) => plain(`p${number}`));
        for (let pair = 0; pair < pairs; pair++) {
          const [first, last] = [order.indexOf(2 * pair), order.indexOf(2 * pair + 1)].toSorted((a, b) => a - b);
          const from = steps[first!]!.path;
          const to = steps[last!]!.path;
          steps[first!] = taking(from, to);
          steps[last!] = placing(to, from);
        }
        const kept = keepPairsTogether(steps, most);
        const parts = partsOf(kept, most);
        expect(parts.flat()).toEqual(kept);
        expect(kept.map(({ path }) => path)).toEqual(steps.map(({ path }) => path));
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(most);
          const here = new Set<string>(part.map(({ path }) => path));
          const ends = part.flatMap(({ moves_from, moves_to }) => [moves_from, moves_to]);
          expect(ends.filter((end) => end !== undefined && !here.has(end))).toEqual([]);
        }
      }),
    );
  });
});
