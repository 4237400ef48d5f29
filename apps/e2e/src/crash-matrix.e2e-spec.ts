import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failpointNames, type Mode } from '@retrace/testing';
import { leftovers } from './crash/leftovers.js';
import { type Candidate, folderOf, Matrix } from './crash/matrix.js';
import { hashOfLog, hashOfModels } from './crash/models-hash.js';
import { TriedSystem } from './crash/tried-system.js';

/** The way of a write: there a death of the whole system is more than the deaths of its services one by one. */
const WRITE_PATH = /^(apply|decision|journal|publish|upload)\./;

const TRIED: Record<Mode, (name: string) => boolean> = {
  cluster: () => true,
  standalone: (name) => WRITE_PATH.test(name),
};
/** Errands of a run, at most. */
const FOLDERS = 90;

describe.each(Object.entries(TRIED) as [Mode, (name: string) => boolean][])(
  'SIGKILL at each failpoint, in %s',
  (mode, isTried) => {
    const tried = new TriedSystem(mode, 'tried');
    let matrix: Matrix;
    let candidates: Candidate[];
    beforeAll(async () => {
      await tried.start(Array.from({ length: FOLDERS }, (_, i) => folderOf(i)));
      matrix = new Matrix(tried);
    }, 120_000);
    afterAll(async () => {
      await tried.end();
      await tried.system.dispose();
    }, 60_000);

    it('the scenario passes by each that is in the code', async () => {
      candidates = (await matrix.discover()).filter(({ name }) => isTried(name));
      expect([...new Set(candidates.map(({ name }) => name))].toSorted()).toEqual(failpointNames().filter(isTried));
    }, 120_000);

    it('leaves log, disk, contents and answers agreeing, and nothing behind', async () => {
      await matrix.killAt(candidates);
      await matrix.comparison.lookAtAll(matrix.errands);
      // Who was never hit was never tried.
      expect(failpointNames().filter((name) => isTried(name) && !matrix.hit.has(name))).toEqual([]);
    }, 600_000);

    it('leaves read models that are those of the log folded anew, and no temporary file once it has stopped', async () => {
      const anew = await hashOfLog(tried.system);
      await tried.end();
      expect(await hashOfModels(tried.system)).toBe(anew);
      expect(leftovers(tried.folder, tried.system.home.data)).toEqual([]);
    }, 60_000);
  },
);
