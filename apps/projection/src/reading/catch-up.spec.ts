import { describe, expect, it } from '@jest/globals';
import { WorkspaceNameSchema } from '@retrace/contracts';
import { Progress } from '../folding/progress.js';
import { laneOfWorkspace } from '../lanes.js';
import type { LaneEnds } from '../ports/lane-ends.port.js';
import { CatchUp } from './catch-up.js';

const shop = WorkspaceNameSchema.parse('shop');
const lane = laneOfWorkspace(shop);

/** A log of 10 events; the newest of the shop's lane is at 7. */
const ends: LaneEnds = {
  last: () => Promise.resolve(10),
  newestIn: (name) => Promise.resolve(name === lane ? 7 : 0),
};

function catchUpAt(sequence: number, waitMs = 20) {
  const progress = new Progress();
  if (sequence > 0) progress.set(lane, { sequence, messages: sequence });
  return { progress, catchUp: new CatchUp(progress, ends, waitMs) };
}

describe('CatchUp', () => {
  it('does not wait where nothing is asked for or all is folded', async () => {
    await expect(catchUpAt(0).catchUp.until(shop, undefined)).resolves.toBeUndefined();
    await expect(catchUpAt(0).catchUp.until(shop, 0)).resolves.toBeUndefined();
    await expect(catchUpAt(5).catchUp.until(shop, 5)).resolves.toBeUndefined();
  });

  it('waits for the lane', async () => {
    const { progress, catchUp } = catchUpAt(5, 60_000);
    const waited = catchUp.until(shop, 7);
    progress.set(lane, { sequence: 7, messages: 6 });
    await expect(waited).resolves.toBeUndefined();
  });

  it('gives up with the progress', async () => {
    await expect(catchUpAt(5).catchUp.until(shop, 7)).rejects.toMatchObject({
      code: 'not_ready',
      details: { sequence: 5, min_sequence: 7 },
    });
  });

  it('is content with the lane as it is where later events belong to other lanes', async () => {
    await expect(catchUpAt(7).catchUp.until(shop, 10)).resolves.toBeUndefined();
    await expect(catchUpAt(6).catchUp.until(shop, 10)).rejects.toMatchObject({ code: 'not_ready' });
  });

  it('is not ready for what the log does not hold', async () => {
    await expect(catchUpAt(7).catchUp.until(shop, 11)).rejects.toMatchObject({ code: 'not_ready' });
    await expect(catchUpAt(7).catchUp.until('_', 11)).rejects.toMatchObject({ code: 'not_ready' });
  });

  it('waits for all lanes where no workspace is named', async () => {
    const { progress, catchUp } = catchUpAt(6, 60_000);
    const waited = catchUp.until('_', 10);
    progress.set(lane, { sequence: 7, messages: 7 });
    await expect(waited).resolves.toBeUndefined();
    await expect(catchUpAt(6).catchUp.until('_', 10)).rejects.toMatchObject({ code: 'not_ready' });
  });
});
