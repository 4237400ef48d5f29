import { describe, expect, it } from '@jest/globals';
import {
  PolicyExplain,
  PrincipalSchema,
  RetraceError,
  WorkspaceNameSchema,
  WorkspacePathSchema,
} from '@retrace/contracts';
import { PolicyReadRules } from './policy-read-rules.js';

const workspace = WorkspaceNameSchema.parse('docs');
const pat = PrincipalSchema.parse('pat');
const path = WorkspacePathSchema.parse('scratch/.env');

const judged = (answer: () => Promise<unknown>, asked: unknown[] = []) =>
  new PolicyReadRules({
    call: (...[call, where, request]: unknown[]) => {
      asked.push([call, where, request]);
      return answer() as never;
    },
  }).judge(workspace, pat, path);

describe('what policy lets an agent read', () => {
  it('is asked of policy, each time', async () => {
    const asked: unknown[] = [];
    const answer = { allowed: true, message: 'allowed by open', rule: 'open' };
    expect(await judged(() => Promise.resolve(answer), asked)).toEqual({ allowed: true, message: 'allowed by open' });
    expect(asked).toEqual([[PolicyExplain, 'docs', { agent: 'pat', class: 'read', path: 'scratch/.env' }]]);
  });

  it.each(['timeout', 'unavailable', 'not_ready', 'internal'] as const)(
    'is nobody’s to say where policy does not answer: %s',
    async (code) => {
      const asking = judged(() => Promise.reject(new RetraceError(code, 'no')));
      await expect(asking).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/pat may read scratch\/\.env in docs .*try again/),
      });
    },
  );

  it('is nothing in a workspace that there is not', async () => {
    const none = new RetraceError('unknown_workspace', 'there is no workspace docs');
    expect(await judged(() => Promise.reject(none))).toEqual({ allowed: false, message: none.message });
  });
});
