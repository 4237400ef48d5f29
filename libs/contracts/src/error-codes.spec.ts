import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, errorCodeOf, isErrorCode, RetraceError } from './error-codes.js';

describe('error codes', () => {
  it('are unique, and fit a header', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
    for (const code of ERROR_CODES) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it('are read off whatever was thrown, by the code alone', () => {
    expect(errorCodeOf(new RetraceError('busy', 'later'))).toBe('busy');
    expect(errorCodeOf({ code: 'exists' })).toBe('exists');
  });

  it.each([
    undefined,
    null,
    'busy',
    42,
    {},
    new Error('x'),
    { code: 'ENOENT' },
    { code: 42 },
    { code: 'toString' },
    { code: '__proto__' },
  ])('are `internal` for what has none of ours: %p', (thrown) => {
    expect(errorCodeOf(thrown)).toBe('internal');
  });

  it('are told from other text', () => {
    expect(isErrorCode('io')).toBe(true);
    for (const other of ['IO', '', 'constructor', 7]) expect(isErrorCode(other)).toBe(false);
  });

  it('travel with details and cause', () => {
    const cause = new Error('disk');
    const error = new RetraceError('io', 'it broke', { cause, details: { path: 'a' } });
    expect(error).toMatchObject({
      code: 'io',
      message: 'it broke',
      name: 'RetraceError',
      cause,
      details: { path: 'a' },
    });
    expect('cause' in new RetraceError('io', 'it broke')).toBe(false);
  });
});
