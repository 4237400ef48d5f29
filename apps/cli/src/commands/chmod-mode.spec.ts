import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { changedMode, modeChange } from './chmod-mode.js';

const after = (text: string, before: number): string => changedMode(modeChange(text), before).toString(8);

describe('a mode', () => {
  it.each([
    ['644', 0o777, '644'],
    ['0755', 0, '755'],
    ['+x', 0o644, '755'],
    ['a-w', 0o666, '444'],
    ['go-rwx', 0o755, '700'],
    ['u+x,g=r,o=', 0o644, '740'],
    ['+rw', 0o4111, '777'],
  ])('%s makes of %i %s', (text, before, mode) => {
    expect(after(text, before)).toBe(mode);
  });

  it.each(['', '8', '64', '12345', '1777', '+', 'x', 'u+s', '+x,', '--exepct'])('%j is none', (text) => {
    expect(() => modeChange(text)).toThrow(/octal/);
  });

  it('never asks for more than permission bits', () => {
    const clause = fc.stringMatching(/^[ugoa]{0,2}[+=-][rwx]{1,3}$/);
    fc.assert(
      fc.property(clause, fc.integer({ min: 0, max: 0o7777 }), (text, before) => {
        expect(changedMode(modeChange(text), before) & ~0o777).toBe(0);
      }),
    );
  });
});
