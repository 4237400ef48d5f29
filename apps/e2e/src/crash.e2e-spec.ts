import { join } from 'node:path';
import { newId } from '@retrace/event-log';
import type { IntentId } from '@retrace/contracts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { addWorkspace, eventually, RetraceSystem, treeOf } from '@retrace/testing';

const FILES = { 'a.md': 'a\n', 'b.md': 'b\n', 'run.sh': '#!/bin/sh\n' };

/** After the journal commit; in the middle of a logical operation; after apply and before publish. */
const PLACES = ['journal.after-commit', 'apply.between-operations:2', 'publish.before-append'];

/** Kills a real process at a place in the middle of a logical operation and looks at disk and log afterwards. */
describe.each(PLACES)('SIGKILL at %s', (place) => {
  let system: RetraceSystem;
  afterEach(() => system.dispose(), 60_000);

  const prepare = async (mode: 'standalone' | 'cluster') => {
    system = new RetraceSystem(mode);
    const shot = { RETRACE_FAILPOINT: place, RETRACE_FAILPOINT_ONCE: join(system.folder, 'shot') };
    await system.start(shot);
    const folder = await addWorkspace(system, 'notes', FILES, ['writer']);
    const before = treeOf(folder);
    const writer = await system.connect('writer', 'notes');
    const session = await writer.openSession({ task: 'four changes' });
    const intentId: IntentId = newId('int');
    const sent = session
      .apply(
        [
          { write: 'a.md', content: 'A\n' },
          { mkdir: 'new' },
          { create: 'new/c.md', content: 'C\n' },
          { delete: 'b.md' },
        ],
        {
          intentId,
          reason: 'all or none',
          timeoutMs: 60_000,
        },
      )
      .then(
        () => 'applied',
        (error: { code?: string; name?: string }) => error.name ?? 'failed',
      );
    return { folder, before, writer, intentId, sent };
  };

  /** What the log says must be what the disk shows: all four changes, or none. */
  const expectAgreement = async (folder: string, before: Record<string, string>, intentId: IntentId): Promise<void> => {
    const operator = await system.connect('_op-local', 'notes');
    const { status } = await eventually(async () => {
      const outcome = await operator.outcome(intentId);
      expect(['applied', 'failed']).toContain(outcome.status);
      return outcome;
    }, 40_000);
    const now = treeOf(folder);
    if (status === 'failed') expect(now).toEqual(before);
    else expect(Object.keys(now)).toEqual(['a.md', 'new', 'new/c.md', 'run.sh']);
    const { entries } = await operator.log();
    expect(entries.filter((entry) => entry.status !== 'denied')).toHaveLength(1);
    await operator.close();
  };

  it('leaves log and disk agreeing when the whole system dies and is started again', async () => {
    const { folder, before, writer, intentId } = await prepare('standalone');
    await system.ended();
    expect(await system.end()).toBe('SIGKILL');
    await writer.close();
    await system.start();
    await expectAgreement(folder, before, intentId);
  }, 120_000);

  it('leaves log and disk agreeing when the service alone dies, and the agent hears the outcome', async () => {
    const { folder, before, writer, intentId, sent } = await prepare('cluster');
    await expectAgreement(folder, before, intentId);
    expect(['applied', 'OperationFailedError']).toContain(await sent);
    await writer.close();
  }, 120_000);
});
