import { describe, expect, it } from '@jest/globals';
import type { LaneMessage } from '../lanes/lane-message.js';
import { MessageRing } from './message-ring.js';

const message = (seq: number, bytes = 1): LaneMessage => ({
  seq,
  subject: 's',
  data: new Uint8Array(bytes),
  string: () => '',
});

const ringOf = (sequences: readonly number[], limits = { messages: 3, bytes: 100 }) => {
  const ring = new MessageRing(limits);
  for (const sequence of sequences) ring.add(message(sequence));
  return ring;
};

describe('the ring of the newest messages', () => {
  it('knows nothing before it has begun', () => {
    expect([ringOf([]).oldest, ringOf([]).next]).toEqual([undefined, undefined]);
  });

  it('covers what comes from where it began', () => {
    const ring = ringOf([]);
    ring.begin(5);
    expect([ring.oldest, ring.next, ring.add(message(5)), ring.at(5).seq]).toEqual([5, 5, true, 5]);
  });

  it('holds the newest, and finds each by its sequence', () => {
    const ring = ringOf([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([ring.oldest, ring.next]).toEqual([7, 10]);
    expect([7, 8, 9].map((sequence) => ring.at(sequence).seq)).toEqual([7, 8, 9]);
  });

  it('holds one that is larger than the bound, and nothing with it', () => {
    const ring = ringOf([1, 2], { messages: 9, bytes: 3 });
    ring.add(message(3, 50));
    expect([ring.oldest, ring.next, ring.at(3).seq]).toEqual([3, 4, 3]);
  });

  it.each([
    ['a gap', 5],
    ['a stream that went back', 2],
    ['the same once more', 3],
  ])('begins anew after %s', (_, sequence) => {
    const ring = ringOf([1, 2, 3]);
    expect(ring.add(message(sequence))).toBe(false);
    expect([ring.oldest, ring.next]).toEqual([sequence, sequence + 1]);
  });
});
