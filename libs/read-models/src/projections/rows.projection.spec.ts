import { describe, expect, it } from '@jest/globals';
import * as given from '../testing/events.js';
import { ann, id } from '../testing/stored.js';
import { denied } from './denial.projection.js';
import { operationRows, withSequence } from './operation.projection.js';
import { rollbackAuthorized, rollbackCompleted, rollbackRunning } from './rollback.projection.js';
import { sessionCompleted, sessionOpened } from './session.projection.js';
import {
  memberAdded,
  policyInForce,
  policyPublished,
  workspaceBaselined,
  workspaceRegistered,
} from './workspace.projection.js';

const at = (sequence: number) => ({ sequence });

describe('a session', () => {
  const open = sessionOpened(undefined, given.sessionOpened(1, at(1)));

  it('is active, then completed, once each', () => {
    expect(open).toMatchObject({ status: 'active', agent: ann, task: 'task 1', completedAt: null });
    expect(sessionOpened(open, given.sessionOpened(1, at(9)))).toBe(open);
    const event = given.sessionCompleted(1, at(2));
    const completed = sessionCompleted(open, event);
    expect(completed).toMatchObject({ status: 'completed', completedAt: event.time });
    expect(sessionCompleted(completed, given.sessionCompleted(1, at(3)))).toBe(completed);
  });

  it('is not made by its completion', () => {
    expect(sessionCompleted(undefined, given.sessionCompleted(1, at(2)))).toBeUndefined();
  });
});

describe('a workspace', () => {
  it('shows its newest baseline, and keeps it when it is registered again', () => {
    const scanned = workspaceBaselined(undefined, given.baselined(at(3)));
    expect(scanned.baseline).toEqual({
      sequence: 3,
      manifest_hash: 'b'.repeat(64),
      files: 2,
      bytes: 5_000_000_000,
      ignored_rules: ['.gitignore'],
      ignored_entries: 4,
      skipped: 1,
    });
    expect(workspaceRegistered(scanned, given.workspaceRegistered(at(4)))).toMatchObject({
      root: '/srv/shop',
      baseline: { sequence: 3 },
    });
  });

  it('keeps its policy when it is registered again elsewhere', () => {
    const policy = policyInForce(undefined, given.policyPublished(2, at(1)));
    expect(policy).toMatchObject({ root: null, policyVersion: 2 });
    const registered = workspaceRegistered(policy, given.workspaceRegistered(at(2), { root: '/other' }));
    expect(registered).toMatchObject({ root: '/other', policy: 'policy-2' });
    expect(policyInForce(registered, given.policyPublished(1, at(3)))).toBe(registered);
  });

  it('keeps the first of two policies or memberships of one name', () => {
    const policy = policyPublished(undefined, given.policyPublished(1, at(1)));
    expect(policyPublished(policy, given.policyPublished(1, at(2)))).toBe(policy);
    const member = memberAdded(undefined, given.memberAdded(ann, at(1)));
    expect(memberAdded(member, given.memberAdded(ann, at(2)))).toBe(member);
  });
});

describe('a denial', () => {
  it('is the first decision for its attempt, or none', () => {
    const first = denied(undefined, undefined, given.denied(1, at(1)));
    expect(first).toMatchObject({ code: 'rule_denies', rule: 'deny secrets', sequence: 1 });
    expect(denied(first, { attempt: 1 }, given.denied(1, at(2)))).toBe(first);
    expect(denied(undefined, { attempt: 1 }, given.denied(1, at(2)))).toBeUndefined();
    expect(denied(undefined, { attempt: 2 }, given.denied(1, at(2)))).toBeUndefined();
    expect(denied(undefined, { attempt: 1 }, given.denied(1, at(2), { attempt: 2 }))).toMatchObject({ sequence: 2 });
  });

  it('shows a path in its one spelling, or as typed where it has none', () => {
    expect(denied(undefined, undefined, given.denied(1, at(1)))?.path).toBe('secrets/key');
    expect(denied(undefined, undefined, given.denied(1, at(1), { path: '../key' }))?.path).toBe('../key');
  });
});

describe('a rollback', () => {
  it('runs and ends with its first report', () => {
    const begun = rollbackAuthorized(undefined, given.rollbackAuthorized(9, at(1)));
    const step = given.stepRequested(9, 1, [{ n: 91, path: 'a', to: given.file(1), compensates: [1] }], at(2));
    const running = rollbackRunning(begun, step);
    expect(running).toMatchObject({ status: 'running', parts: 2 });
    const completed = rollbackCompleted(running, given.rollbackCompleted(9, at(3)));
    expect(completed).toMatchObject({ status: 'completed', report: { outcome: 'undone' } });
    expect(rollbackCompleted(completed, given.rollbackCompleted(9, at(4), { outcome: 'failed' }))).toBe(completed);
    expect(rollbackRunning(completed, step)).toBe(completed);
  });
});

describe('states of paths', () => {
  const twice = given.applied(
    1,
    [
      { n: 1, path: 'a', to: given.file(1) },
      { n: 2, path: 'b', to: given.file(2) },
      { n: 3, path: 'a', to: given.file(3), from: given.file(1) },
    ],
    at(4),
  );

  it('are records each, in their order behind those of earlier parts', () => {
    const rows = operationRows(twice, { operationCount: 5, pathCount: 7 });
    expect(rows.map(({ path, ordinal, asked }) => [path, ordinal, asked])).toEqual([
      ['a', 7, 5],
      ['b', 8, 6],
      ['a', 9, 7],
    ]);
  });

  it('of parts are counted with the operation that asked for them', () => {
    const folder = { n: 1, path: 'new', to: given.file(1), movedFrom: 'old' };
    const parts = [2, 3].map((n) => ({ n, path: `new/${n}`, to: given.file(n), partOf: 1 }));
    const rows = operationRows(given.applied(1, [folder, ...parts], at(4)), undefined);
    expect(rows.map(({ asked, paths, livePaths, partOf }) => [asked, paths, livePaths, partOf])).toEqual([
      [0, 3, 3, null],
      [null, 0, 0, id('op', 1)],
      [null, 0, 0, id('op', 1)],
    ]);
    expect(rows[0]).toMatchObject({ movedFrom: 'old', copiedFrom: null });
  });

  it('get the sequence of the event that holds them', () => {
    expect(withSequence(twice.data.operations[0]!, 4)).toMatchObject({
      state_snapshot_before: { sequence: null },
      state_snapshot_after: { sequence: 4 },
    });
  });
});
