import { describe, expect, it } from '@jest/globals';
import { parsePolicy } from './parse-policy.js';
import { PRESETS } from './presets/presets.js';
import { lineThatIsTooDeep } from './yaml-depth.js';

describe('lineThatIsTooDeep', () => {
  it.each([
    ['lists in one line', '- '.repeat(5_000)],
    ['lists in brackets', '['.repeat(5_000)],
    ['maps in braces', '{a: '.repeat(5_000)],
    ['brackets in braces over many lines', '[{a:\n '.repeat(5_000)],
    ['keys in one line', `${'? '.repeat(5_000)}x`],
    ['values in one line', 'a: '.repeat(5_000)],
    ['ever more indentation', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ])('finds %s', (_, yaml) => {
    expect(lineThatIsTooDeep(yaml)).toBeGreaterThan(0);
    expect(() => parsePolicy(yaml)).toThrow(expect.objectContaining({ code: 'policy_invalid' }));
  });

  it('says where', () => {
    expect(lineThatIsTooDeep(`a: |\n  text\n  text\nb: ${'['.repeat(40)}`)).toBe(4);
  });

  it.each(Object.entries(PRESETS))('lets %s be', (_, yaml) => {
    expect(lineThatIsTooDeep(yaml)).toBeUndefined();
  });

  it('takes no sign of a quoted text for nesting', () => {
    expect(lineThatIsTooDeep(`a: ["${'['.repeat(100)}", '${'{'.repeat(100)}']\n`)).toBeUndefined();
  });
});
