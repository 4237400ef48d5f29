import { ABSENT, type PathState, type WorkspacePath } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { IntentDeniedError, LostUpdateError } from '../errors.js';
import type { IntentEnd } from '../intents/settled.js';
import { deniedData, failedData, fileState, recordOf, rollbackData } from '../testing/outcome-data.js';
import { type Change, SessionMemory, type Touch } from './session-memory.js';

const [A, B] = [fileState('a'), fileState('b')];
const write = (path: string, expected?: Touch['expected']): Touch => ({ path, uses: 'follows', expected });
const applied = (path: string, after: PathState, sequence = 1, operationCount = 1): IntentEnd => ({
  kind: 'applied',
  intentId: newId('int'),
  logicalOperationId: newId('lop'),
  sequence,
  operationCount,
  operations: [
    recordOf({
      path: { typed: path, canonical: path as WorkspacePath },
      state_snapshot_after: { state: after, sequence: 'self' },
    }),
  ],
});
const lost = (path: string): IntentEnd => new LostUpdateError(failedData({ path }), 2);

describe('SessionMemory', () => {
  let memory: SessionMemory;
  beforeEach(() => {
    memory = new SessionMemory(true);
  });

  const read = (path: string, state: PathState, canonical = path): Promise<unknown> =>
    memory.look(
      path,
      () => Promise.resolve(),
      () => ({ canonical, state }),
    );
  const begin = (...touches: Touch[]): Change => memory.begin(touches);
  /** What the next change would send; the change itself is not made. */
  const next = (path: string): PathState | undefined => {
    const change = begin(write(path));
    change.notSent();
    return change.expected[0];
  };

  it('expects what was read, and what was left there', async () => {
    expect(next('a.md')).toBeUndefined();
    await read('a.md', A);
    expect(next('./a.md')).toEqual(A);
    begin(write('a.md')).ended(applied('a.md', B));
    expect(next('a.md')).toEqual(B);
  });

  it.each(['d/a.md', 'd', 'd/a.md/b'])('expects nothing while a change at d/a.md is under way: %s', async (path) => {
    await read(path, A);
    const change = begin(write('d/a.md'));
    expect(next(path)).toBeUndefined();
    change.ended(new IntentDeniedError(deniedData(), 1));
    expect(next(path)).toEqual(A);
  });

  it('expects nothing twice in one logical operation, and nothing at the other end of a move under way', async () => {
    await read('a.md', A);
    await read('b.md', B);
    const change = begin(write('a.md'), write('a.md'), { path: 'c', to: 'b.md', uses: 'itself' });
    expect(change.expected).toEqual([A, undefined, undefined]);
    expect(next('b.md')).toBeUndefined();
  });

  it('does not take a reading that overlapped a change for the state after it', async () => {
    await read('a.md', A);
    const look = memory.beginLook('a.md');
    begin(write('a.md')).ended(applied('a.md', B));
    look.found({ canonical: 'a.md', state: A });
    expect(next('a.md')).toEqual(B);
  });

  it('nor one through a link whose end it did not know', async () => {
    const look = memory.beginLook('link');
    begin(write('a.md')).ended(applied('a.md', B));
    look.found({ canonical: 'a.md', state: A });
    expect(next('link')).toBeUndefined();
    expect(next('a.md')).toEqual(B);
  });

  it('drops what was wrong after a lost update', async () => {
    await read('a.md', A);
    begin(write('a.md')).ended(lost('a.md'));
    expect(next('a.md')).toBeUndefined();
  });

  it('drops what it knew where a reading fails', async () => {
    await read('a.md', A);
    const failing = memory.look(
      'a.md',
      () => Promise.reject(new Error('absent')),
      () => undefined,
    );
    await expect(failing).rejects.toThrow('absent');
    expect(next('a.md')).toBeUndefined();
  });

  it('forgets what a rollback restored, and all where a part of it failed', async () => {
    await read('a.md', A);
    await read('b.md', B);
    const undo = (change: Parameters<typeof rollbackData>[0]): IntentEnd => {
      const report = rollbackData(change);
      const { intent_id: intentId, logical_operation_id: logicalOperationId, outcome } = report;
      return { kind: 'undo', intentId, logicalOperationId, outcome, report, sequence: 3 };
    };
    const rollback = memory.beginAnywhere();
    expect(next('b.md')).toBeUndefined();
    rollback.ended(undo({ restored: ['a.md'] }));
    expect([next('a.md'), next('b.md')]).toEqual([undefined, B]);
    memory.beginAnywhere().ended(undo({ restored: [], failures: [{ part: 1, code: 'io', message: 'disk' }] }));
    expect(next('b.md')).toBeUndefined();
  });

  it('sends what the caller says, and nothing for `any`', async () => {
    await read('a.md', A);
    expect(begin(write('a.md', ABSENT)).expected).toEqual([ABSENT]);
    await read('b.md', A);
    expect(begin(write('b.md', 'any')).expected).toEqual([undefined]);
  });

  it('remembers nothing where it is switched off', async () => {
    memory = new SessionMemory(false);
    await read('a.md', A);
    begin(write('a.md')).ended(applied('a.md', B));
    expect(next('a.md')).toBeUndefined();
    expect(begin(write('a.md', A)).expected).toEqual([A]);
  });

  it('counts an end once', async () => {
    const [one, two] = [begin(write('a.md')), begin(write('a.md'))];
    one.ended(applied('a.md', A));
    one.ended(applied('a.md', A));
    expect(next('a.md')).toBeUndefined();
    two.ended(applied('a.md', B, 2));
    expect(next('a.md')).toEqual(B);
  });

  it('forgets what a change reached whose records are not all known, and takes what is', async () => {
    const known = ['d', 'd/a.md', 'd/e/b.md', 'other.md', 'd/c.md'];
    for (const path of known) await read(path, A);
    await read('link', A, 'd/a.md');
    const change = begin({ path: 'd', uses: 'itself', to: 'new/d' });
    change.ended(applied('d/c.md', B, 1, 5));
    expect([...known, 'link'].map(next)).toEqual([undefined, undefined, undefined, A, B, undefined]);
  });
});
