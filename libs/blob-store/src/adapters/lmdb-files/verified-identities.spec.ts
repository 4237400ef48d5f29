import { describe, expect, it } from '@jest/globals';
import { VerifiedIdentities } from './verified-identities.js';

const settled = (key: string) => ({ key, settled: true });

describe('VerifiedIdentities', () => {
  it('knows a file only as it was', () => {
    const verified = new VerifiedIdentities(10);
    verified.add('a', settled('1'));
    expect(verified.has('a', settled('1'))).toBe(true);
    expect(verified.has('a', settled('2'))).toBe(false);
    expect(verified.has('b', settled('1'))).toBe(false);
    verified.forget('a');
    expect(verified.has('a', settled('1'))).toBe(false);
  });

  it('does not trust a file so young that a later change could leave the same times', () => {
    const verified = new VerifiedIdentities(10);
    verified.add('a', { key: '1', settled: false });
    expect(verified.has('a', settled('1'))).toBe(false);
  });

  it('forgets the least recently read beyond its limit', () => {
    const verified = new VerifiedIdentities(2);
    verified.add('a', settled('1'));
    verified.add('b', settled('1'));
    verified.has('a', settled('1'));
    verified.add('c', settled('1'));
    expect(['a', 'b', 'c'].map((hash) => verified.has(hash, settled('1')))).toEqual([true, false, true]);
  });
});
