import { describe, expect, it } from '@jest/globals';
import type { FoldStep } from '@retrace/read-models';
import { FoldQueue } from './fold-queue.js';

const at = (sequence: number): FoldStep => ({ position: { sequence, eventId: `event ${sequence}` } });

/** A queue whose folds are written down; those of `bad` sequences fail. */
function given(bad = new Set<number>()) {
  const folded: string[] = [];
  const told: string[] = [];
  const troubles: string[] = [];
  const queue = new FoldQueue({
    folds: {
      foldAll: (lane, steps) => {
        const sequences = steps.map(({ position }) => position.sequence);
        if (sequences.some((sequence) => bad.has(sequence)))
          return Promise.reject(new Error(`not ${sequences.join()}`));
        folded.push(`${lane}: ${sequences.join()}`);
        const sequence = sequences.at(-1)!;
        return Promise.resolve({ lane, sequence, eventId: '', count: 0, messages: 0, unknown: 0 });
      },
    },
    onFolded: (lane, { sequence }) => told.push(`${lane} at ${sequence}`),
    onTrouble: (error, { sequence }) => troubles.push(`${sequence}: ${(error as Error).message}`),
  });
  const add = async (lane: string, ...sequences: number[]): Promise<void> => {
    for (const sequence of sequences) await queue.add(lane, at(sequence), 1);
  };
  return { queue, add, bad, folded, told, troubles };
}

describe('what waits to be folded', () => {
  it('is folded in one transaction a lane, in order', async () => {
    const { queue, add, folded, told } = given();
    await add('1', 1, 3);
    await add('2', 4);
    await add('1', 5);
    expect(folded).toEqual([]);
    await queue.flush();
    expect(folded).toEqual(['1: 1,3,5', '2: 4']);
    expect(told).toEqual(['1 at 5', '2 at 4']);
  });

  it('is folded by itself after a moment', async () => {
    const { add, folded } = given();
    await add('1', 1);
    while (folded.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(folded).toEqual(['1: 1']);
  });

  it('does not grow: who adds to a full queue waits', async () => {
    const { add, folded } = given();
    const sequences = Array.from({ length: 257 }, (_, i) => i + 1);
    await add('1', ...sequences);
    expect(folded).toEqual([`1: ${sequences.slice(0, 256).join()}`]);
  });

  it('is held up by what cannot be folded, in its own lane alone, until it can', async () => {
    const { queue, add, bad, folded, told, troubles } = given(new Set([2]));
    await add('1', 1, 2, 3);
    await add('2', 4);
    await queue.flush();
    expect(folded).toEqual(['1: 1', '2: 4']);
    expect(troubles).toEqual(['2: not 2']);
    await expect(add('1', 5)).rejects.toThrow('not 2');
    await add('2', 6);
    bad.clear();
    await queue.flush();
    expect(folded.slice(2)).toEqual(['1: 2,3', '2: 6']);
    expect(told).toEqual(['1 at 1', '2 at 4', '1 at 3', '2 at 6']);
  });

  it('is forgotten where its lane is read again', async () => {
    const { queue, add, folded } = given(new Set([1]));
    await add('1', 1, 2);
    await add('2', 3);
    await queue.flush();
    await queue.drop('1');
    await add('1', 7);
    await queue.flush();
    expect(folded).toEqual(['2: 3', '1: 7']);
  });

  it('is folded at the end as far as it can be', async () => {
    const { queue, add, bad, folded } = given(new Set([2]));
    await add('1', 1, 2);
    await queue.end();
    bad.clear();
    await queue.flush();
    expect(folded).toEqual(['1: 1']);
  });
});
