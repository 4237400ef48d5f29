import { describe, expect, it } from '@jest/globals';
import { moment, place } from './moment.js';

const NOW = Date.parse('2025-01-15T14:30:00Z');
const read = moment(() => NOW);

describe('a moment', () => {
  it.each([
    ['30s', '2025-01-15T14:29:30.000Z'],
    ['2h', '2025-01-15T12:30:00.000Z'],
    ['1w', '2025-01-08T14:30:00.000Z'],
    ['2025-01-14', '2025-01-14T00:00:00.000Z'],
    ['2025-01-14 09:05', '2025-01-14T09:05:00.000Z'],
    ['2025-01-14T09:05:10.5Z', '2025-01-14T09:05:10.500Z'],
    ['2025-01-14T09:05+02:00', '2025-01-14T07:05:00.000Z'],
  ])('reads %s as %s', (text, time) => {
    expect(read(text)).toBe(time);
  });

  it.each(['', 'yesterday', '2', '2y', '2025-13-01', '2025-01-14 25:00', '14:30'])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(/2h/);
  });
});

describe('a place in the log', () => {
  it('is a number of the log, or a moment', () => {
    expect(place('#12')).toEqual({ sequence: 12 });
    expect(place('2025-01-14')).toEqual({ time: '2025-01-14T00:00:00.000Z' });
  });
});
