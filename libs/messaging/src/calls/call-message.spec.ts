import { describe, expect, it } from '@jest/globals';
import { RetraceError } from '@retrace/contracts';
import { AppendUnknown, newId, ReadCut } from '@retrace/event-log';
import { NoRespondersError, TimeoutError } from '@nats-io/transport-node';
import { problemOf } from './call-message.js';

describe('problemOf', () => {
  it('tells an error of ours as it is', () => {
    const error = new RetraceError('absent', 'nothing there', { details: { path: 'a' } });
    expect(problemOf(error)).toEqual({ code: 'absent', message: 'nothing there', details: { path: 'a' } });
  });

  it('keeps to itself what any other error says', () => {
    const problem = { code: 'internal', message: expect.not.stringContaining('/home') };
    expect(problemOf(new Error('no such file: /home/me'))).toEqual(problem);
    expect(problemOf(new AppendUnknown(newId('evt'), { cause: new TimeoutError() }))).toEqual(problem);
    expect(problemOf('what')).toMatchObject({ code: 'internal' });
  });

  it.each([
    ['the log that went away', new ReadCut(7)],
    ['the broker that does not answer', new TimeoutError()],
    ['nobody who listens, behind another error', new Error('request', { cause: new NoRespondersError('a') })],
  ])('says that it can be asked again where the reason was %s', (_, error) => {
    expect(problemOf(error)).toMatchObject({ code: 'unavailable' });
  });
});
