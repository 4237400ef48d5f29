import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { History } from '../domain/history.js';
import { absent, context, file, HistoryBuilder } from '../domain/testing/history-builder.js';
import { bySession, planFor, requestFor } from '../domain/testing/planning.js';
import { MemoryContents } from '../testing/memory-contents.js';
import { BlobCheck } from './blob-check.js';
import { MergeDesk } from './merge-desk.js';
import { planToTheEnd } from './planning-round.js';

describe('a large plan', () => {
  it('lets others work in between, and is the same', async () => {
    const past = new HistoryBuilder();
    const count = 3000;
    for (let at = 0; at < count; at++) past.applied('ann', { path: `f${at}`, before: absent, after: file('F') });
    const present = new Map(past.operations.map(({ path, after }) => [path, after]));
    const request = requestFor(past.operations, bySession('ann'));
    const no = (): Promise<never> => Promise.reject(new Error('not asked for'));
    const facts = { facts: no, listings: no, missing: no };
    const watch = { ended: false, ticks: 0 };
    const others = (async () => {
      for (; !watch.ended; watch.ticks++) await tick();
    })();
    const result = await planToTheEnd({ history: new History(past.operations), present }, request, context, {
      desk: new MergeDesk(context.workspace, new MemoryContents(), () => ''),
      blobs: new BlobCheck(context.workspace, facts, 0),
    });
    watch.ended = true;
    await others;
    expect(watch.ticks).toBeGreaterThanOrEqual(4);
    expect(result).toEqual(planFor(past.operations, present, request));
  });
});
