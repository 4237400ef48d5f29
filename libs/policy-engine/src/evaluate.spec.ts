import { describe, expect, it } from '@jest/globals';
import type { ActionClass } from '@retrace/contracts';
import * as fc from 'fast-check';
import { DEFAULT_DENY, evaluate } from './evaluate.js';
import { parsePolicy } from './parse-policy.js';
import type { Policy } from './policy.js';

const CLASSES: readonly ActionClass[] = ['read', 'create', 'overwrite', 'delete', 'move', 'execute'];

const policyOf = (...rules: object[]): Policy => parsePolicy(JSON.stringify({ version: 1, name: 'p', rules }));
const named = (rules: object[]): object[] => rules.map((rule, index) => ({ name: `r${index}`, ...rule }));

const name = fc.constantFrom('a', 'b', 'docs', 'private', 'x.md', '[id]', 'UPPER', 'ü', 'line\nbreak');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const actionClass = fc.constantFrom(...CLASSES);
const agent = fc.constantFrom('writer', 'reviewer', '_op-me');
const pattern = fc.constantFrom('**', 'docs/', '*.md', '/a', 'a/**', 'UPPER', 'b');
const effect = fc.record({
  effect: fc.constantFrom('allow', 'deny'),
  classes: fc.uniqueArray(actionClass, { minLength: 1 }),
});
const rule = fc
  .record({
    effect,
    paths: fc.array(pattern, { minLength: 1, maxLength: 3 }),
    agents: fc.option(fc.array(agent, { minLength: 1 }), { nil: undefined }),
  })
  .map(({ effect: { effect: kind, classes }, paths, agents }) => ({
    [kind]: classes,
    paths,
    ...(agents && { agents }),
  }));
const rules = fc.array(rule, { maxLength: 5 }).map(named);
const question = fc.record({ agent, class: actionClass, path });

describe('evaluate', () => {
  it('denies by default, and says which rule was missing', () => {
    const answer = evaluate(policyOf(), { agent: 'writer', class: 'create', path: 'a/b' });
    expect(answer).toMatchObject({ allowed: false, code: 'no_rule', rule: DEFAULT_DENY });
    expect(answer.message).toBe(
      'a/b: no rule of policy p lets writer create it (default:deny). Ask an operator for a rule, or see what is allowed: retrace policy explain',
    );
  });

  it('lists every rule tried and why it did not match', () => {
    const policy = policyOf(
      { name: 'others', agents: ['reviewer'], allow: ['read'], paths: ['**'] },
      { name: 'reads', allow: ['read'], paths: ['**'] },
      { name: 'docs', allow: ['create'], paths: ['docs/**'] },
      { name: 'no', deny: ['create'], paths: ['src/**'], reason: 'sources are reviewed' },
      { name: 'never tried', allow: ['create'], paths: ['**'] },
    );
    const answer = evaluate(policy, { agent: 'writer', class: 'create', path: 'src/a.ts' });
    expect(answer.tried).toEqual([
      { rule: 'guards', matched: false, why: 'nothing protected is touched' },
      { rule: 'others', matched: false, why: 'is for reviewer, not for writer' },
      { rule: 'reads', matched: false, why: 'is about read, not create' },
      { rule: 'docs', matched: false, why: 'names no path like src/a.ts' },
      { rule: 'no', matched: true, why: 'src/** names src/a.ts: deny' },
    ]);
    expect(answer).toMatchObject({ code: 'rule_denies', rule: 'no', reason: 'sources are reviewed' });
    expect(answer.message).toContain('src/a.ts: rule no denies create to writer (sources are reviewed)');
  });

  it('property: without a matching rule the answer is no', () =>
    fc.assert(
      fc.property(rules, question, (list, asked) => {
        const answer = evaluate(policyOf(...list), asked);
        const matched = answer.tried.some((tried) => tried.matched);
        expect(answer.allowed).toBe(matched && answer.code === null);
        expect(answer.code === 'no_rule').toBe(!matched);
      }),
    ));

  it('property: the first matching rule decides, whatever stands behind it', () =>
    fc.assert(
      fc.property(rules, rules, question, (list, more, asked) => {
        const before = evaluate(policyOf(...list), asked);
        fc.pre(before.code !== 'no_rule');
        const longer = [...list, ...more.map((extra, index) => ({ ...extra, name: `more${index}` }))];
        expect(evaluate(policyOf(...longer), asked)).toEqual(before);
      }),
    ));

  it('property: rules for other agents change nothing', () =>
    fc.assert(
      fc.property(rules, rules, question, (list, others, asked) => {
        const foreign = others.map((extra, index) => ({ ...extra, name: `f${index}`, agents: ['somebody-else'] }));
        const { tried: _, ...without } = evaluate(policyOf(...list), asked);
        expect(evaluate(policyOf(...foreign, ...list), asked)).toMatchObject(without);
      }),
    ));

  it('property: a guard wins over any policy', () => {
    const open = { name: 'open', allow: [...CLASSES], paths: ['**', '.git/', '.retrace/'] };
    const dotGit = fc.constantFrom('.git', '.GIT', '.Git', '.g\u200cit', '．git');
    const control = fc.constantFrom('.retrace', '.Retrace', '.RETRACE');
    const below = fc.option(path, { nil: undefined });
    const join = (...names: (string | undefined)[]): string => names.filter((part) => part !== undefined).join('/');
    fc.assert(
      fc.property(
        rules,
        actionClass,
        agent,
        below,
        dotGit,
        control,
        below,
        (list, asked, who, above, git, own, rest) => {
          const policy = policyOf(open, ...list);
          const inGit = evaluate(policy, { agent: who, class: asked, path: join(above, git, rest) });
          expect(inGit.code).toBe(asked === 'read' ? null : 'protected_path');
          const inControl = evaluate(policy, { agent: who, class: asked, path: join(own, rest) });
          expect(inControl).toMatchObject({ allowed: false, code: 'protected_path', rule: 'guard:protected-domain' });
        },
      ),
    );
  });

  it('does not take a look-alike for the protected domain', () => {
    const policy = policyOf({ name: 'all', allow: ['create'], paths: ['**'] });
    for (const open of ['.gitignore', 'git', 'a/.github/x', 'docs/.retrace', '.retracer'])
      expect(evaluate(policy, { agent: 'writer', class: 'create', path: open })).toMatchObject({ allowed: true });
  });

  it('refuses paths so deep that matching them costs', () => {
    const policy = policyOf({ name: 'all', allow: ['create'], paths: ['**'] });
    const deep = (length: number): string => Array.from({ length }, () => 'a').join('/');
    expect(evaluate(policy, { agent: 'writer', class: 'create', path: deep(128) }).allowed).toBe(true);
    expect(evaluate(policy, { agent: 'writer', class: 'create', path: deep(129) }).code).toBe('path_too_long');
  });

  it.each([
    ['*', 'writer', true],
    ['*', '_op-me', false],
    ['_op-*', '_op-me', true],
    ['_op-*', 'writer', false],
    ['_op-me', '_op-you', false],
    ['writer', 'writer', true],
    ['writer', 'writer2', false],
  ])('agents %j and principal %s: %s', (agents, who, allowed) => {
    const policy = policyOf({ name: 'r', agents: [agents], allow: ['read'], paths: ['**'] });
    expect(evaluate(policy, { agent: who, class: 'read', path: 'a' }).allowed).toBe(allowed);
  });
});
