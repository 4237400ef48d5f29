import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { settlementFor, TERMINAL, TerminalError } from './terminal-error.js';

const backoff = { firstMs: 100, maxMs: 1000 };

describe('settlementFor', () => {
  it.each([
    [1, 0, 75],
    [1, 0.999, 99.975],
    [2, 0, 150],
    [3, 0, 300],
    [4, 0, 600],
    [5, 0, 750],
    [21, 0, 750],
    [1_000_000, 0, 750],
  ])('retries attempt %i in place (random %d) after %d ms', (attempt, random, delayMs) => {
    const settlement = settlementFor(new Error('x'), attempt, backoff, random);
    expect(settlement).toEqual({ kind: 'retry_in_place', delayMs: expect.closeTo(delayMs, 5) });
  });

  it('never waits longer than it may, nor in lockstep with others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
        const settlement = settlementFor(undefined, attempt, backoff, random);
        return settlement.kind === 'retry_in_place' && settlement.delayMs >= 75 && settlement.delayMs <= 1000;
      }),
    );
  });

  it.each([
    ['a TerminalError', new TerminalError('bad_json')],
    // Nest's filters leave of an error what survives being spread.
    ['what is left of one', { code: TERMINAL, reason: 'bad_json' }],
  ])('rejects for %s', (_, error) => {
    expect(settlementFor(error, 1, backoff, 0)).toEqual({ kind: 'rejected', reason: 'bad_json' });
  });

  it.each([undefined, null, 'text', 7, {}, new Error('x'), { code: 'bad_json' }])('retries for %p', (error) => {
    expect(settlementFor(error, 1, backoff, 0).kind).toBe('retry_in_place');
  });
});

describe('TerminalError', () => {
  it('carries the reason, and a message for people', () => {
    const cause = new Error('why');
    expect(new TerminalError('bad_json', 'no JSON at 7', { cause })).toMatchObject({
      code: TERMINAL,
      reason: 'bad_json',
      message: 'no JSON at 7',
      cause,
    });
    expect(new TerminalError('bad_json').message).toBe('bad_json');
  });
});
