import { describe, expect, it } from '@jest/globals';
import { subjectMatches } from './subject-matches.js';

describe('subjectMatches', () => {
  it.each([
    ['a.b', 'a.b', true],
    ['a.b', 'a.c', false],
    ['a.b', 'a.b.c', false],
    ['a.b.c', 'a.b', false],
    ['a.*', 'a.b', true],
    ['a.*', 'a', false],
    ['a.*', 'a.b.c', false],
    ['*.b', 'a.b', true],
    ['a.*.c', 'a.b.c', true],
    ['a.>', 'a.b', true],
    ['a.>', 'a.b.c.d', true],
    ['a.>', 'a', false],
    ['>', 'a.b', true],
    ['*.>', 'a', false],
    ['a.*.>', 'a.b.c', true],
    ['a.*.>', 'a.b', false],
  ])('%s over %s is %s', (filter, subject, matches) => {
    expect(subjectMatches(filter, subject)).toBe(matches);
  });
});
