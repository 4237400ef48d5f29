import { describe, expect, it } from '@jest/globals';
import { timingsFrom } from './configuration.js';
import { DEFAULT_TIMINGS } from './timings.js';

describe('timings from the environment', () => {
  it('are the defaults where it says nothing', () => {
    expect(timingsFrom({})).toEqual(DEFAULT_TIMINGS);
  });

  it('are taken from it', () => {
    const environment = { RETRACE_BLOB_WAIT_MS: '1', RETRACE_FACTS_PARK_MS: '2', RETRACE_FACTS_WAIT_MS: '3' };
    expect(timingsFrom(environment)).toEqual({ ...DEFAULT_TIMINGS, blobWaitMs: 1, factsParkMs: 2, factsGiveUpMs: 3 });
  });

  it.each(['', '0', '-1', '1.5', 'soon'])('are refused as %j', (RETRACE_BLOB_WAIT_MS) => {
    expect(() => timingsFrom({ RETRACE_BLOB_WAIT_MS })).toThrow('RETRACE_BLOB_WAIT_MS');
  });
});
