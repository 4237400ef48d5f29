import { describe, expect, it } from '@jest/globals';
import { WorkspaceNameSchema } from '@retrace/contracts';
import type { LogFilter, LogPage, LogQueries } from '@retrace/read-models';
import { Progress } from '../folding/progress.js';
import { laneOfWorkspace } from '../lanes.js';
import { LogFollower } from './log-follower.js';

const workspace = WorkspaceNameSchema.parse('shop');
const lane = laneOfWorkspace(workspace);
const LONG = 20_000;
const ask: LogFilter = { workspace, viewer: undefined, limit: 10 };
const entry = (sequence: number) => ({ sequence }) as LogPage['entries'][number];

/** A log whose lane stands at 5 and shows entries beyond that as `shown` says. */
function follow(shown: readonly number[] = []) {
  const progress = new Progress();
  progress.set(lane, { sequence: 5, messages: 5 });
  const asked: (number | undefined)[] = [];
  const find = ({ afterSequence }: LogFilter): Promise<LogPage> => {
    asked.push(afterSequence);
    const { sequence: cursor } = progress.of(lane);
    const entries = shown.filter((at) => at > (afterSequence ?? 5) && at <= cursor).map(entry);
    return Promise.resolve({ entries, cursor, more: false });
  };
  return { progress, asked, follower: new LogFollower({ find } as LogQueries, progress) };
}

describe('following the log', () => {
  it('answers at once what there is, or nothing where nobody waits', async () => {
    const { follower, asked } = follow([4]);
    expect((await follower.find({ ...ask, afterSequence: 3 }, LONG, 'ann')).entries).toEqual([entry(4)]);
    expect((await follower.find({ ...ask, afterSequence: 5 }, 0, 'ann')).entries).toEqual([]);
    expect(asked).toEqual([3, 5]);
  });

  it('waits for the first entry, past events that are none, and looks at each place once', async () => {
    const { follower, progress, asked } = follow([8]);
    const found = follower.find({ ...ask, afterSequence: 5 }, LONG, 'ann');
    for (const sequence of [6, 7, 8]) {
      await new Promise(setImmediate);
      progress.set(lane, { sequence, messages: sequence });
    }
    expect(await found).toEqual({ entries: [entry(8)], cursor: 8, more: false });
    expect(asked).toEqual([5, 5, 6, 7]);
  });

  it('ends with nothing when the time is over, and at once when the service ends', async () => {
    const { follower, progress } = follow();
    expect(await follower.find(ask, 5, 'ann')).toMatchObject({ entries: [], cursor: 5 });
    const waiting = follower.find(ask, LONG, 'ann');
    await new Promise(setImmediate);
    progress.endWaiting();
    expect(await waiting).toMatchObject({ entries: [], cursor: 5 });
    expect(await follower.find(ask, LONG, 'ann')).toMatchObject({ entries: [] });
  });

  it('refuses one who follows too often, and nobody else', async () => {
    const { follower, progress } = follow();
    const waiting = Array.from({ length: 32 }, () => follower.find(ask, LONG, 'ann'));
    await new Promise(setImmediate);
    await expect(follower.find(ask, LONG, 'ann')).rejects.toMatchObject({ code: 'busy' });
    const other = follower.find(ask, LONG, 'bob');
    await new Promise(setImmediate);
    progress.endWaiting();
    await Promise.all([...waiting, other]);
    expect(await follower.find(ask, 0, 'ann')).toMatchObject({ entries: [] });
  });
});
