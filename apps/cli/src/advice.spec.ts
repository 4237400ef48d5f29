import { IntentDeniedError } from '@retrace/client';
import { deniedData } from '@retrace/client/testing';
import { ERROR_CODES, RetraceError } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { adviceFor } from './advice.js';

describe('adviceFor', () => {
  it.each(ERROR_CODES.map((code) => [code]))('says what to do about %s', (code) => {
    expect(adviceFor(new RetraceError(code, 'no'), code, 'writer')).toMatch(/\w{3}/);
  });

  it.each([
    ['move', 'move'],
    ['append', 'overwrite'],
    ['rmdir', 'delete'],
    [null, 'CLASS'],
  ])('asks about a refused %s as %s', (action, asked) => {
    const denied = new IntentDeniedError(deniedData({ action, path: 'a.md', code: 'no_rule' }), 7);
    expect(adviceFor(denied, 'no_rule', 'writer')).toBe(`retrace policy explain writer ${asked} a.md`);
  });

  it('tells how to go over what was changed outside, and what to look at before', () => {
    expect(adviceFor(undefined, 'changed_outside', 'writer')).toMatch(/retrace diff.*--expect present/);
  });

  it('knows nothing of codes that are not there', () => {
    expect(adviceFor(new Error('x'), 'never_heard_of', 'writer')).toBeNull();
  });
});
