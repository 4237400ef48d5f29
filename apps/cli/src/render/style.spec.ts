import { describe, expect, it } from '@jest/globals';
import { screenOf } from './style.js';

const screen = (env: NodeJS.ProcessEnv, stdoutIsTty: boolean, columns?: number) =>
  screenOf({ env, stdoutIsTty, columns });

describe('screenOf', () => {
  it('is 80 wide without a terminal, else as wide as that, unless COLUMNS says otherwise', () => {
    expect(screen({}, false).width).toBe(80);
    expect(screen({}, true, 132).width).toBe(132);
    expect(screen({ COLUMNS: '50' }, true, 132).width).toBe(50);
    expect(screen({ COLUMNS: 'x' }, false).width).toBe(80);
  });

  it('has colour on a terminal alone', () => {
    expect(screen({}, false).style.red('x')).toBe('x');
    expect(screen({}, true).style.red('x')).not.toBe('x');
    expect(screen({ NO_COLOR: '1' }, true).style.red('x')).toBe('x');
  });
});
