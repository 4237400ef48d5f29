import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runBench } from './run-bench.js';
import { parseSettings } from './settings.js';

describe('runBench', () => {
  const { TMPDIR } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'bench-spec-'));

  beforeEach(() => {
    process.env.TMPDIR = folder;
  });
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  });

  it('measures every line of the table on real systems, and leaves nothing behind', async () => {
    const { measures, ...report } = await runBench(parseSettings(['--quick']), () => undefined);
    expect(report).toMatchObject({ mode: 'standalone', durability: 'process', quick: true, profiled: false });
    expect(measures.map(({ name, unit, target }) => `${name}, ${unit}: ${target}`)).toEqual([
      'one write, p50, to write_file of the reference server, ms: ratio <= 1.8',
      'one write, p50, to git add and commit per write, ms: ratio <= 1/6',
      '64 intents in flight, operations/s: value >= 2000',
      'one logical operation of 50 files, to raw temp and rename, files/s: ratio >= 0.3',
      'undo of it, to applying it, ms: ratio <= 2',
      'rebuild of the SQLite read models, events/s: value >= 10000',
      'memory after 300 operations, MB: value <= 350',
      'one write, p50, after 300 operations, to after 40, ms: ratio <= 1.2',
    ]);
    expect(measures.filter(({ value }) => !(value > 0))).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  }, 120_000);
});
