import { IntentDeniedError, IntentNotSent, OperationFailedError, OutcomeUnknown } from '@retrace/client';
import { deniedData, failedData } from '@retrace/client/testing';
import { type ErrorCode, type IntentId, RetraceError } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { failureOf, renderFailure } from './failure.js';
import { screenAt } from './testing/samples.js';
import { CommandFailed, NotRunning, UsageError } from './usage-error.js';

const INTENT = 'int_0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d13' as IntentId;
const denied = new IntentDeniedError(deniedData({ intent_id: INTENT }), 7);
const failed = new OperationFailedError(failedData({ intent_id: INTENT }), 8);
const failure = (error: unknown) => failureOf(error, 'retrace write src/a.ts as writer in notes', 'writer');
const remote = (code: ErrorCode) => new RetraceError(code, code);

describe('failureOf', () => {
  it.each([
    [denied, 1],
    [failed, 1],
    [new OutcomeUnknown(INTENT, 'no outcome in 30000 ms'), 6],
    [new UsageError('which?'), 2],
    [new NotRunning('none'), 5],
    [new CommandFailed('x', 'y'), 1],
    [new IntentNotSent('unavailable', 'gone'), 5],
    [new IntentNotSent('intent_too_large', 'large'), 1],
    [remote('unavailable'), 5],
    [remote('timeout'), 5],
    [remote('not_ready'), 5],
    [remote('not_found'), 1],
    [remote('nothing_selected'), 4],
    [remote('already_undone'), 4],
    [new TypeError('a fault of ours'), 1],
  ])('gives %s the exit code %i', (error, exit) => {
    expect(failure(error).exit).toBe(exit);
  });

  it('names the rule that refused, and how to ask about it', () => {
    expect(failure(denied)).toMatchObject({
      code: 'rule_denies',
      rule: 'no-sources (policy version 3)',
      path: 'src/a.ts',
      intent_id: INTENT,
      next: 'retrace policy explain writer overwrite src/a.ts',
    });
  });
});

describe('renderFailure', () => {
  it('says what was asked, expected and found, and what to do next', () => {
    expect(renderFailure(failure(failed), screenAt(80)).split('\n')).toEqual([
      'retrace: docs/a.md: expected a, found b (expected_mismatch)',
      '  asked     retrace write src/a.ts as writer in notes',
      '  path      docs/a.md',
      '  expected  file aaaaaaaaaaaa (1 bytes, mode 0644)',
      '  found     file bbbbbbbbbbbb (1 bytes, mode 0644)',
      `  intent    ${INTENT}`,
      '  next      look at it again (retrace diff, retrace cat), then decide anew',
      '',
    ]);
  });

  it('shows what a program printed', () => {
    const error = new CommandFailed('start_failed', 'it ended', 'see the log, which ends:', {}, [
      'error port_in_use: 4222',
    ]);
    expect(renderFailure(failure(error), screenAt(80)).split('\n').slice(-3)).toEqual([
      '  next   see the log, which ends:',
      '    error port_in_use: 4222',
      '',
    ]);
  });

  it('keeps the lines of a message, and their indent', () => {
    const message = 'policy.yaml: no policy:\n\n  rules:\n    ^ expected a list\n';
    expect(
      renderFailure(failure(new CommandFailed('policy_invalid', message)), screenAt(80))
        .split('\n')
        .slice(0, 4),
    ).toEqual(['retrace: policy.yaml: no policy: (policy_invalid)', '', '  rules:', '    ^ expected a list']);
  });

  it('lets nothing in a message reach the terminal as a command', () => {
    expect(renderFailure(failure(new CommandFailed('x', 'bad \u001b[2J')), screenAt(80))).not.toContain('\u001b');
  });
});
