import { describe, expect, it } from '@jest/globals';
import { Watermark } from './watermark.js';

describe('the watermark of the agents’ door', () => {
  it('rises to the first message without an answer', () => {
    const mark = new Watermark();
    expect(mark.low()).toBe(0);
    for (const sequence of [4, 5, 6]) mark.taken(sequence);
    mark.done(5);
    expect(mark.low()).toBe(3);
    mark.done(4);
    expect(mark.low()).toBe(5);
    mark.done(6);
    expect(mark.low()).toBe(6);
  });

  it('removes nothing until the stream is read again', () => {
    const mark = new Watermark();
    mark.taken(9);
    mark.done(9);
    mark.forgetLast();
    expect(mark.low()).toBe(0);
    mark.taken(2);
    mark.done(2);
    expect(mark.low()).toBe(2);
  });
});
