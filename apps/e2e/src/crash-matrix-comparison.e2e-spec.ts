import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@retrace/event-log';
import { eventually } from '@retrace/testing';
import { Comparison } from './crash/comparison.js';
import { Errand } from './crash/errand.js';
import { SCENARIO } from './crash/scenario.js';
import { TriedSystem } from './crash/tried-system.js';

/** A comparison that finds nothing proves nothing. */
describe('what compares after a death', () => {
  const tried = new TriedSystem('standalone', 'tried');
  let errand: Errand;
  let comparison: Comparison;
  beforeAll(async () => {
    await tried.start(['f0']);
    comparison = new Comparison(tried);
    errand = new Errand(tried.folder, 'f0');
    await tried.carryOut(SCENARIO['writes and edits']!, errand);
    await eventually(() => comparison.look([errand]));
  }, 120_000);
  afterAll(async () => {
    await tried.end();
    await tried.system.dispose();
  }, 60_000);

  const file = (path: string): string => join(tried.folder, path);

  it('finds a temporary file', async () => {
    writeFileSync(file('.retrace/staging/left'), '');
    await expect(comparison.look([errand])).rejects.toThrow('staging/left');
    rmSync(file('.retrace/staging/left'));
    await comparison.look([errand]);
  });

  it('finds an outcome that the log does not have', async () => {
    const other = new Errand(tried.folder, 'f0');
    other.acknowledged.set(newId('int'), 1);
    await expect(comparison.look([other])).rejects.toThrow('of f0');
  });

  it.each([
    ['a content', (): void => appendFileSync(file('f0/new.txt'), '!')],
    ['a mode', (): void => chmodSync(file('f0/b.sh'), 0o700)],
    ['a file too many', (): void => writeFileSync(file('f0/more'), '')],
    ['a file too few', (): void => rmSync(file('f0/gone.txt'))],
    ["the times of a person's file", (): void => utimesSync(file('f0/person.txt'), 1, 1)],
    ['the bytes of a nested repository', (): void => writeFileSync(file('f0/lib/.git/HEAD'), 'ref: refs/heads/main!')],
  ])('finds a change of %s', async (_, change) => {
    const before = new Comparison(tried);
    const kept = join(tried.system.folder, 'kept');
    execFileSync('cp', ['-a', tried.folder, kept]);
    change();
    await expect(before.look([errand])).rejects.toThrow('Expected');
    rmSync(tried.folder, { recursive: true });
    execFileSync('cp', ['-a', kept, tried.folder]);
    rmSync(kept, { recursive: true });
    await new Comparison(tried).look([errand]);
  });
});
