import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, MODES } from '@retrace/testing';
import { Comparison } from './crash/comparison.js';
import { Errand } from './crash/errand.js';
import { folderOf } from './crash/matrix.js';
import { hashOfLog, hashOfModels } from './crash/models-hash.js';
import { SCENARIO } from './crash/scenario.js';
import { TriedSystem } from './crash/tried-system.js';

const STEPS = Object.entries(SCENARIO);
const DEATHS = 3;

describe.each(MODES)('SIGKILL of the broker in the middle of the scenario, in %s', (mode) => {
  const tried = new TriedSystem(mode, 'tried');
  beforeAll(() => tried.start(STEPS.map((_, i) => folderOf(i))), 120_000);
  afterAll(async () => {
    await tried.end();
    await tried.system.dispose();
  }, 60_000);

  /** As soon as the one before is there again and something more stands in the log. */
  const killBroker = async (before: number | null): Promise<number> => {
    const { nats_pid } = await eventually(() => {
      const { runtime } = tried.system;
      expect(runtime.nats_pid).not.toBe(before);
      return runtime;
    });
    await eventually(() => expect(tried.failpoints.passed().get('decision.after-ack')).toBeDefined());
    tried.failpoints.forgetPassed();
    process.kill(nats_pid!, 'SIGKILL');
    return nats_pid!;
  };

  it('is started again, and everything ends as if it had not happened', async () => {
    const comparison = new Comparison(tried);
    const errands = STEPS.map((_, i) => new Errand(tried.folder, folderOf(i)));
    const work = Promise.all(STEPS.map(([, step], i) => tried.carryOut(step, errands[i]!)));
    let dead: number | null = null;
    for (let deaths = 0; deaths < DEATHS; deaths++) dead = await killBroker(dead);
    await work;
    expect(tried.system.runtime.nats_pid).not.toBe(dead);
    await eventually(() => comparison.look(errands), 30_000);
    const anew = await hashOfLog(tried.system);
    await tried.end();
    expect(await hashOfModels(tried.system)).toBe(anew);
  }, 180_000);
});
