import { describe, expect, it } from '@jest/globals';
import { renderAccounts } from './accounts-config.js';
import type { CredentialTable } from './credential-table.js';

const password = 'x'.repeat(43);
const entry = { password, created_at: '2026-01-01T00:00:00Z' };
const table = (...names: string[]): CredentialTable => ({
  services: { policy: { user: '_svc-policy', password } },
  principals: Object.fromEntries(names.map((name) => [name, entry])),
});

/** The part of the text that belongs to one principal. */
const accountOf = (text: string, name: string): string =>
  new RegExp(`^  "P_${name}": \\{$[^]*?^  \\}$`, 'm').exec(text)?.[0] ?? '';

describe('renderAccounts', () => {
  it('gives an agent its own intents, calls, outcomes and inbox, and nothing else', () => {
    const subjects = accountOf(renderAccounts(table('writer', 'reviewer')), 'writer').match(
      /"(retrace|_INBOX|\$)[^"]*"/g,
    );
    expect([...new Set(subjects)]).toEqual([
      '"retrace.intent.*.writer"',
      '"retrace.rpc.writer.>"',
      '"_INBOX.writer.>"',
      '"retrace.out.*.writer.>"',
    ]);
  });

  it('shows every outcome to an operator, who still acts in its own name only', () => {
    const account = accountOf(renderAccounts(table('_op-ada')), '_op-ada');
    expect(account).toContain('{ stream: { account: "SERVICES", subject: "retrace.out.>" } }');
    expect(account).toContain('publish: ["retrace.intent.*._op-ada", "retrace.rpc._op-ada.>"]');
  });

  it('exports calls as streams of answers, or only the first would arrive, and forgets them after a minute', () => {
    const how = 'response_type: singleton, response_threshold: "120s"';
    expect(renderAccounts(table())).toContain(`{ service: "retrace.rpc.>", ${how} }`);
  });

  it('has users for the services of the table only', () => {
    const text = renderAccounts(table());
    expect(text).toContain('user: "_svc-policy"');
    expect(text).not.toContain('_svc-rollback');
  });

  it('is the same text for the same principals in another order', () => {
    expect(renderAccounts(table('b', 'a'))).toBe(renderAccounts(table('a', 'b')));
  });

  it.each([
    '',
    '_',
    '*',
    '>',
    'a.b',
    'a b',
    'A',
    'a"',
    'a\n',
    '_svc-policy',
    '_op-',
    'a" } ] } P_b: {',
    '$G',
    '__proto__x',
  ])('refuses the name %j', (name) => {
    expect(() => renderAccounts(table(name))).toThrow(expect.objectContaining({ code: 'principal_invalid' }));
  });
});
