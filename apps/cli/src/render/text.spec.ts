import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { cut, cutAfterWord, cutMiddle, displayWidth, plain, shortTime, wrap } from './text.js';

describe('plain', () => {
  it.each([
    ['a\nb', 'a\\nb'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['a\u202egpj.exe', 'a\\u{202e}gpj.exe'],
    ['résumé 日本', 'résumé 日本'],
  ])('makes %j harmless', (text, shown) => {
    expect(plain(text)).toBe(shown);
  });
});

describe('cut', () => {
  it('shows the cut, and counts wide characters twice', () => {
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('日本語', 5)).toBe('日本…');
    expect(cut('abcd', 4)).toBe('abcd');
  });

  it('never takes more room than it has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(displayWidth(cut(plain(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('cutMiddle', () => {
  it('keeps where a path begins and the name that it ends in', () => {
    expect(cutMiddle('packages/billing/src/invoice.html', 20)).toBe('packages…nvoice.html');
    expect(cutMiddle('abc', 3)).toBe('abc');
  });

  it('never takes more room than it has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 40 }), (text, width) => {
        expect(displayWidth(cutMiddle(plain(text), width))).toBeLessThanOrEqual(width);
        expect(displayWidth(cutAfterWord(plain(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('keeps what was done to a path whole', () => {
    expect(cutAfterWord('edit packages/billing/invoice.html', 20)).toMatch(/^edit .+….+html$/);
    expect(cutAfterWord('edit packages/billing/invoice.html +12', 20)).toMatch(/^edit .+….+ \+12$/);
  });
});

describe('wrap', () => {
  it('breaks at spaces, and within a word that is longer than a line', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('ab abcdefgh', 4)).toEqual(['ab', 'abcd', 'efgh']);
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 30 })),
        fc.integer({ min: 2, max: 20 }),
        (words, width) => {
          const text = words.map((word) => plain(word).replaceAll(' ', '_')).join(' ');
          expect(wrap(text, width).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        },
      ),
    );
  });
});

describe('shortTime', () => {
  it('is UTC, and the time alone where room is short', () => {
    expect(shortTime('2025-01-15T15:30:22.123+01:00', 80)).toBe('2025-01-15 14:30:22');
    expect(shortTime('2025-01-15T15:30:22.123+01:00', 50)).toBe('14:30:22');
  });
});
