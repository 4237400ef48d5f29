import { describe, expect, it } from '@jest/globals';
import { errorCodeOf } from '@retrace/contracts';
import { parsePolicy } from './parse-policy.js';

const GOOD = `version: 1
name: team
rules:
  - name: docs-write
    agents: [writer, '*', '_op-*']
    allow: [create, overwrite]
    paths: [docs/**, '!docs/private/**']
    reason: why
`;

const problemOf = (yaml: string): string => {
  try {
    parsePolicy(yaml);
  } catch (error) {
    expect(errorCodeOf(error)).toBe('policy_invalid');
    return (error as Error).message;
  }
  throw new Error('the policy was taken');
};

describe('parsePolicy', () => {
  it('reads rules in order', () => {
    const policy = parsePolicy(GOOD);
    expect(policy.name).toBe('team');
    expect(policy.rules.map(({ name, effect }) => [name, effect])).toEqual([['docs-write', 'allow']]);
  });

  it.each([
    ['a class that does not exist', GOOD.replace('overwrite', 'rewrite'), /line 6, column 21: rules\.0\.allow\.1/],
    ['a key that does not exist', GOOD.replace('agents', 'agent'), /line 5, column 12: rules\.0\.agent: unknown key/],
    ['a missing version', GOOD.replace('version: 1\n', ''), /line 1, column 1: version/],
    ['a later format', GOOD.replace('version: 1', 'version: 2'), /line 1, column 10: version/],
    [
      'an exclusion that YAML takes for a tag',
      GOOD.replaceAll("'!docs/private/**'", '!docs/private/**'),
      /line 7, column 22.*in quotes/,
    ],
    ['a star that YAML takes for an alias', GOOD.replace("'*'", '*'), /line 5.*in quotes/],
    ['broken YAML', GOOD.replace('[create, overwrite]', '[create, overwrite'), /line 7/],
    ['a key that stands twice', GOOD.replace('version: 1', 'version: 1\nversion: 1'), /line 2/],
    ['a pattern that is a comment', GOOD.replace('docs/**', "'#docs'"), /rules\.0\.paths\.0.*comment/],
    ['exclusions alone', GOOD.replace('docs/**, ', ''), /rules\.0\.paths: exclusions alone/],
    ['a pattern that could run for minutes', GOOD.replace('docs/**', "'*a*b*c*d'"), /split it/],
    [
      'a rule that allows and denies',
      GOOD.replace('    paths', '    deny: [read]\n    paths'),
      /line 4, column 5: rules\.0: a rule has either/,
    ],
    ['a rule name of ours', GOOD.replace('docs-write', "'guard:x'"), /rules\.0\.name/],
    ['a list instead of a policy', '- 1', /line 1, column 1: the policy/],
    ['nothing at all', '', /line 1, column 1: the policy/],
    ['aliases that multiply', 'a: &a [1]\nversion: *a', /alias/],
  ])('refuses %s and says where', (_what, yaml, message) => {
    expect(problemOf(yaml)).toMatch(message);
  });

  it('refuses two rules of one name', () => {
    const rule = GOOD.slice(GOOD.indexOf('  - name'));
    expect(problemOf(GOOD + rule)).toMatch(/line 9, column 11: rules\.1\.name: a second rule named docs-write/);
  });

  it('shows the first problems and counts the rest', () => {
    const rules = Array.from({ length: 8 }, (_, i) => `  - name: r${i}\n    paths: ['**']\n`).join('');
    expect(problemOf(`version: 1\nname: x\nrules:\n${rules}`)).toMatch(/… and 3 more/);
  });
});
