import { describe, expect, it } from '@jest/globals';
import { runFuzz } from './fuzz-run.js';
import { keptCases } from './kept.js';

/** A tenth of what `npm run fuzz` sends: so much fits the time that CI has. */
const COUNT = 10_000;
const SEED = 4_711;

describe('generated messages of a plain client', () => {
  it('all come to an end, and the system to none', async () => {
    const { failures, problems, sent, verdicts } = await runFuzz({ count: COUNT, seed: SEED, kept: keptCases() });
    // Short: a message may have 200 KB. `npm run fuzz` keeps it whole.
    expect(failures.map(({ why, case: { subject, body } }) => `${why}: ${subject} ${body.slice(0, 400)}`)).toEqual([]);
    expect(problems).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(COUNT);
    // Neither all junk nor all well-formed: else nothing was tried.
    for (const verdict of ['ok', 'bad_request', 'bad_json', 'taken'])
      expect(verdicts[verdict]).toBeGreaterThan(COUNT / 200);
  }, 600_000);
});
