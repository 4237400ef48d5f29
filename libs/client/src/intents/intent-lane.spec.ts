import type { IntentId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { describe, expect, it } from '@jest/globals';
import type { IntentNotSent } from '../errors.js';
import { IntentLane } from './intent-lane.js';

const NOBODY_THERE = Object.assign(new Error('no responders'), { name: 'NoResponders' });
const NO_ANSWER = Object.assign(new Error('timeout'), { name: 'TimeoutError' });

/** A bus of which the spec says what it answers. */
const laneOver = () => {
  const published: string[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const refused: [IntentId, IntentNotSent][] = [];
  const publish = (body: string): Promise<void> => {
    published.push(body);
    return new Promise((resolve, reject) => answers.push((error) => (error ? reject(error) : resolve())));
  };
  const lane = new IntentLane(
    publish,
    (id, error) => refused.push([id, error]),
    () => Promise.resolve(),
  );
  const answer = async (at: number, error?: Error): Promise<void> => {
    answers[at]!(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const send = (body: string, once = false): IntentId => {
    const id = newId('int');
    lane.send(id, body, once);
    return id;
  };
  return { lane, published, refused, answer, send };
};

describe('IntentLane', () => {
  it('publishes before send returns, in the order of the calls', () => {
    const { send, published } = laneOver();
    send('a');
    send('b');
    expect(published).toEqual(['a', 'b']);
  });

  it('holds back what is sent while the connection is away, behind all that is still waited for', async () => {
    const { lane, send, published, answer } = laneOver();
    send('a');
    send('b');
    await answer(0);
    lane.disconnected();
    send('c');
    expect(published).toEqual(['a', 'b']);
    lane.reconnected();
    expect(published).toEqual(['a', 'b', 'a', 'b', 'c']);
  });

  it('does not send again what was stored and nobody waits for', async () => {
    const { lane, send, published, answer } = laneOver();
    send('a', true);
    lane.forget(send('b'));
    send('c', true);
    await answer(0);
    lane.disconnected();
    lane.reconnected();
    expect(published).toEqual(['a', 'b', 'c', 'c']);
  });

  it('sends each once per connection, whatever becomes of the others', async () => {
    const { lane, send, published, answer } = laneOver();
    send('a');
    send('b');
    lane.disconnected();
    lane.reconnected();
    await answer(2);
    await answer(3, NOBODY_THERE);
    expect(published).toEqual(['a', 'b', 'a', 'b', 'b']);
  });

  it('tells that an intent was refused', async () => {
    const { send, refused, answer } = laneOver();
    const id = send('a');
    await answer(0, NOBODY_THERE);
    expect(refused).toMatchObject([[id, { code: 'unavailable' }]]);
  });

  it('takes no answer for no refusal, and sends again after the connection was away', async () => {
    const { lane, send, published, refused, answer } = laneOver();
    send('a');
    await answer(0, NO_ANSWER);
    expect(refused).toEqual([]);
    lane.disconnected();
    lane.reconnected();
    expect(published).toEqual(['a', 'a']);
  });

  it('never calls an intent refused that an earlier try may have brought in', async () => {
    const { lane, send, published, refused, answer } = laneOver();
    send('a');
    lane.disconnected();
    lane.reconnected();
    await answer(1, NOBODY_THERE);
    expect(refused).toEqual([]);
    expect(published).toEqual(['a', 'a', 'a']);
  });

  it('does not send again what nobody waits for', () => {
    const { lane, send, published } = laneOver();
    lane.forget(send('a'));
    lane.disconnected();
    lane.reconnected();
    expect(published).toEqual(['a']);
  });
});
