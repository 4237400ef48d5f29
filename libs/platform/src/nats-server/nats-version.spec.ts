import { describe, expect, it } from '@jest/globals';
import { compareNatsVersions, formatNatsVersion, isSupportedNatsVersion, parseNatsVersion } from './nats-version.js';

describe('parseNatsVersion', () => {
  it.each([
    ['nats-server: v2.15.1\n', [2, 15, 1]],
    ['nats-server: v2.9.10', [2, 9, 10]],
    ['nats-server: 2.12.0', [2, 12, 0]],
    ['nats-server: v2.14.0-RC.1', [2, 14, 0]],
    ['nats-server: v2.12.3+ds1', [2, 12, 3]],
  ])('reads %j', (output, expected) => {
    expect(parseNatsVersion(output)).toEqual(expected);
  });

  it.each(['', 'command not found', 'nats-server: vX.Y', '2.12'])('finds no version in %j', (output) => {
    expect(parseNatsVersion(output)).toBeNull();
  });
});

describe('compareNatsVersions', () => {
  it('compares numbers, not text', () => {
    expect(compareNatsVersions([2, 9, 10], [2, 12, 0])).toBeLessThan(0);
    expect(compareNatsVersions([2, 12, 10], [2, 12, 9])).toBeGreaterThan(0);
    expect(compareNatsVersions([3, 0, 0], [2, 99, 99])).toBeGreaterThan(0);
    expect(compareNatsVersions([2, 12, 0], [2, 12, 0])).toBe(0);
  });
});

describe('isSupportedNatsVersion', () => {
  it('begins with 2.12.0', () => {
    expect(isSupportedNatsVersion([2, 11, 99])).toBe(false);
    expect(isSupportedNatsVersion([2, 12, 0])).toBe(true);
    expect(isSupportedNatsVersion([3, 0, 0])).toBe(true);
  });
});

describe('formatNatsVersion', () => {
  it('writes what a person would type', () => {
    expect(formatNatsVersion([2, 15, 1])).toBe('2.15.1');
  });
});
