import { describe, expect, it } from '@jest/globals';
import { RetraceError } from '@retrace/contracts';
import type { CallContext } from '@retrace/messaging';
import type { ExecutionStore } from '../journal/execution-store.js';
import type { WorkspaceRegistry } from '../workspaces/workspace-registry.js';
import { BaselineHandlers } from './baseline.handlers.js';
import type { Baselines } from './baselines.js';

const progress = { status: 'running', files: 1, bytes: 2, found: 3, message: null };

const handlers = new BaselineHandlers(
  {
    find(name: string) {
      if (name !== 'notes') throw new RetraceError('unknown_workspace', name);
      return { workspace: { name } };
    },
  } as unknown as WorkspaceRegistry,
  { isMember: (_: string, principal: string) => principal === 'amy' } as unknown as ExecutionStore,
  { progress: () => progress } as unknown as Baselines,
);
const asked = (principal: string | undefined, workspace = 'notes') =>
  ({ caller: { principal, workspace } }) as unknown as CallContext;

describe('how far a baseline is', () => {
  it.each([['amy'], ['_op-me'], [undefined]])('is told to members, operators and services: %s', (who) => {
    expect(handlers.baseline({}, asked(who))).toEqual(progress);
  });

  it('is not told to strangers, nor of workspaces that are not here', () => {
    expect(() => handlers.baseline({}, asked('eve'))).toThrow(expect.objectContaining({ code: 'not_a_member' }));
    expect(() => handlers.baseline({}, asked('amy', 'other'))).toThrow(
      expect.objectContaining({ code: 'unknown_workspace' }),
    );
  });
});
