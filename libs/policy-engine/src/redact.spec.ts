import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { redactSecrets } from './redact.js';

/** Put together here, so that scanners of this repository find no secret. */
const secret = (...parts: string[]): string => parts.join('');
const A36 = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

describe('redactSecrets', () => {
  it.each([
    ['an AWS key', `use ${secret('AKIA', 'IOSFODNN7EXAMPLE')} now`, 'use [redacted:aws-key] now'],
    ['a GitHub token', `x ${secret('ghp_', A36)}!`, 'x [redacted:github-token]!'],
    ['a fine-grained GitHub token', secret('github_pat_', A36), '[redacted:github-token]'],
    ['an API key', `key ${secret('sk-', 'proj-', A36)}`, 'key [redacted:api-key]'],
    ['a bearer token', `Authorization: Bearer ${A36}`, 'Authorization: Bearer [redacted:bearer-token]'],
    ['a password', 'psql password=hunter2 -h db', 'psql password=[redacted:password] -h db'],
    ['a quoted password', `{"password": "hun ter2", "a": 1}`, `{"password": [redacted:password], "a": 1}`],
    ['a password in an address', 'postgres://me:hunter2@db/x', 'postgres://me:[redacted:url-password]@db/x'],
    [
      'a private key',
      secret('a -----BEGIN RSA ', 'PRIVATE KEY-----\nMIIE\nabc\n-----END RSA ', 'PRIVATE KEY----- z'),
      'a [redacted:private-key] z',
    ],
    ['a private key that was cut off', secret('-----BEGIN ', 'PRIVATE KEY-----\nMIIE'), '[redacted:private-key]'],
    ['several', `pwd: a token=b`, 'pwd: [redacted:password] token=[redacted:password]'],
  ])('takes out %s', (_what, text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
  });

  it.each([
    'fix the password form',
    'tokens are counted',
    'sk-learn is fine',
    'see https://host:8080/a',
    'a bearer of news',
  ])('leaves %j alone', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it('property: redacting twice is redacting once', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('password=', 'bearer ', ' ', '\n', A36, secret('ghp_', A36), 'a://b:c@', '"', "'", 'token:'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = redactSecrets(pieces.join(''));
        expect(redactSecrets(once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });
});
