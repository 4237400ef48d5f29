import { describe, expect, it, jest } from '@jest/globals';
import { MemoryEventLog } from './adapters/memory/memory-event-log.js';
import { anEvent } from './event-log.contract.js';
import { AppendUnknown, appendOnce } from './event-log.port.js';

/** A log whose appends fail as told, `arrives` with the event stored all the same. */
class ShakyLog extends MemoryEventLog {
  tries = 0;
  constructor(
    private readonly failures: unknown[],
    private readonly arrives: boolean,
  ) {
    super();
  }

  override async append(event: Parameters<MemoryEventLog['append']>[0]) {
    this.tries += 1;
    const failure = this.failures.shift();
    if (!failure) return super.append(event);
    if (this.arrives) await super.append(event);
    throw failure;
  }
}

const named = (name: string) => Object.assign(new Error(name), { name });

describe('appendOnce', () => {
  it.each([true, false])('keeps one event when the answer is lost and the event arrived: %s', async (arrives) => {
    const event = anEvent();
    const log = new ShakyLog([new AppendUnknown(event.id)], arrives);
    expect(await appendOnce(log, event, 1)).toBe(1);
    expect(log.tries).toBe(arrives ? 1 : 2);
    expect(await log.lastSequence()).toBe(1);
  });

  it.each([
    ['no answer in time', named('TimeoutError')],
    ['JetStream still coming up', named('JetStreamNotEnabled')],
    ['no leader', Object.assign(named('JetStreamApiError'), { code: 10008, status: 503 })],
  ])('tries again after %s', async (_, error) => {
    const log = new ShakyLog([error], false);
    expect(await appendOnce(log, anEvent(), 1)).toBe(1);
    expect(log.tries).toBe(2);
  });

  it.each([
    ['a refusal', Object.assign(named('JetStreamApiError'), { code: 10071, status: 400 })],
    ['a closed connection', named('ClosedConnectionError')],
    ['anything else', new TypeError('x')],
    ['a thrown nothing', null],
  ])('gives up after %s', async (_, error) => {
    const log = new ShakyLog([error ?? 'nothing'], false);
    await expect(appendOnce(log, anEvent(), 1)).rejects.toBe(error ?? 'nothing');
    expect(log.tries).toBe(1);
  });

  it('does not begin once it is called off, and stops at the next try', async () => {
    const calledOff = AbortSignal.abort(new Error('closing'));
    const log = new ShakyLog([], false);
    await expect(appendOnce(log, anEvent(), 1, calledOff)).rejects.toThrow('closing');
    expect(log.tries).toBe(0);

    const later = new AbortController();
    const failing = new ShakyLog(
      Array.from({ length: 9 }, () => named('TimeoutError')),
      false,
    );
    const appending = appendOnce(failing, anEvent(), 1, later.signal);
    later.abort(new Error('closing'));
    await expect(appending).rejects.toThrow('closing');
    expect(failing.tries).toBe(1);
  });

  it('ends the pause between two tries once it is called off', async () => {
    // The clock stands still: a pause that only time ends would never end.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const later = new AbortController();
    const log = new ShakyLog([named('TimeoutError'), named('TimeoutError')], false);
    const appending = appendOnce(log, anEvent(), 1, later.signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.tries).toBe(1);
    later.abort(new Error('closing'));
    await expect(appending).rejects.toThrow('closing');
    expect(log.tries).toBe(1);
    jest.useRealTimers();
  });
});
