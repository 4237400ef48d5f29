import { describe, expect, it } from '@jest/globals';
import { shortId } from './short-id.js';

describe('shortId', () => {
  it('tells ids apart that were minted in the same moment', () => {
    expect(shortId('ses_01a22df4-3c5a-7b1e-9d2f-a2b3c4d5e6f7')).toBe('…a2b3c4d5e6f7');
    expect(shortId('ses_01a22df4-3c5a-7b1e-9d2f-a2b3c4d5e6f8')).toBe('…a2b3c4d5e6f8');
  });
});
