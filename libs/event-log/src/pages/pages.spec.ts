import { describe, expect, it } from '@jest/globals';
import { decodeEvent, encodeEvent, type EventEnvelope, PolicyPublished } from '@retrace/contracts';
import * as fc from 'fast-check';
import { anEvent } from '../event-log.contract.js';
import { encodePages, PAGE_BYTES, type PageLimits } from './encode-pages.js';
import { joinPages, type LogMessage } from './join-pages.js';
import { aLargeEvent } from './large-event.js';
import { PageCollector } from './page-collector.js';
import { PageJoiner } from './page-joiner.js';

const asMessages = (event: EventEnvelope, limits: PageLimits = {}): LogMessage[] =>
  encodePages(event, limits).map(({ subject, headers, body }) => ({ subject, header: (name) => headers[name], body }));

/** An event of which each element has so many letters. */
const ofLengths = (lengths: readonly number[]) => {
  const event = aLargeEvent(0);
  return { ...event, data: { ...event.data, restored: lengths.map((length) => 'é'.repeat(length)) } };
};

describe('the pages of an event', () => {
  it('are one message, without a page, where the event is small', () => {
    const event = aLargeEvent(3);
    expect(encodePages(event)).toEqual([encodeEvent(event)]);
  });

  it('have 512 KiB of data at most, one id, one subject and all fields but the array', () => {
    const event = aLargeEvent(2_000);
    const pages = encodePages(event);
    expect(pages.length).toBeGreaterThan(2);
    const { restored, ...others } = event.data;
    const seen = pages.flatMap(({ subject, headers, body }, i) => {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(PAGE_BYTES);
      expect(headers).toEqual({ ...encodeEvent(event).headers, 'ce-page': `${i + 1}/${pages.length}` });
      expect(subject).toBe(encodeEvent(event).subject);
      const { restored: some, ...same } = JSON.parse(body) as typeof event.data;
      expect(same).toEqual(others);
      return some;
    });
    expect(seen).toEqual(restored);
  });

  it('are each an event that its schema takes', () => {
    for (const message of asMessages(aLargeEvent(1_000)))
      expect(decodeEvent(message, 1).page).toBe(message.header('ce-page'));
  });

  it('come together as the event that was cut, whatever its elements are', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 1_200 }), { maxLength: 40 });
    fc.assert(
      fc.property(lengths, (list) => {
        const event = ofLengths(list);
        const messages = asMessages(event, { pageBytes: 5_000 });
        expect(decodeEvent(joinPages(messages), 7)).toEqual({ ...event, sequence: 7 });
      }),
    );
  });

  it.each([
    ['an element that no page has room for', ofLengths([1, 5_000]), /one element has 10003 bytes/],
    ['more pages than the broker takes at once', ofLengths(Array(4).fill(1_000)), /4 pages are more than the 3/],
  ])('cannot be made of %s, larger than the bus takes', (_, event, why) => {
    const act = (): unknown => encodePages(event, { messageBytes: 20_000, pageBytes: 3_000, maxPages: 3 });
    expect(act).toThrow(expect.objectContaining({ code: 'intent_too_large' }));
    expect(act).toThrow(why);
  });

  it('are not there for an event that nothing cuts: it is one message, or too large for the bus', () => {
    const yaml = 'x'.repeat(600_000);
    const data = { version: 1, name: 'p', yaml, published_by: '_op-me' };
    const wide = { ...anEvent(), type: PolicyPublished.type, data: PolicyPublished.data.parse(data) };
    expect(encodePages(wide)).toEqual([encodeEvent(wide)]);
    expect(() => encodePages(wide, { messageBytes: 600_000 })).toThrow(
      /the bus takes 583616 in one message, and it is not written in pages/,
    );
  });

  it('are not there where something else than the array is large, or one element', () => {
    const event = aLargeEvent(3);
    const long = { ...event, data: { ...event.data, merged: ['x'.repeat(PAGE_BYTES)] } };
    expect(encodePages(long)).toEqual([encodeEvent(long)]);
    expect(() => encodePages(long, { messageBytes: 300_000 })).toThrow('has no room');
    const none = { ...long, data: { ...long.data, restored: [] } };
    expect(encodePages(none)).toEqual([encodeEvent(none)]);
    expect(encodePages(ofLengths([1, 300_000]))).toHaveLength(1);
  });

  it.each([
    ['without the others', (pages: LogMessage[]) => pages.slice(1), 'bad_request'],
    ['whose body is no JSON', (pages: LogMessage[]) => [{ ...pages[0]!, body: '{' }, ...pages.slice(1)], 'bad_json'],
    [
      'whose body is no object',
      (pages: LogMessage[]) => [{ ...pages[0]!, body: '7' }, ...pages.slice(1)],
      'bad_request',
    ],
    ['without the array', (pages: LogMessage[]) => [{ ...pages[0]!, body: '{}' }, ...pages.slice(1)], 'bad_request'],
  ])('are refused with one %s', (_, change, code) => {
    const pages = asMessages(aLargeEvent(1_000));
    expect(() => joinPages(change(pages))).toThrow(expect.objectContaining({ code }));
  });

  it('are refused for an event that is never cut', () => {
    const { subject, headers, body } = encodeEvent(anEvent());
    const message = { subject, header: (name: string) => (name === 'ce-page' ? '1/1' : headers[name]), body };
    expect(() => joinPages([message])).toThrow('not written in pages');
  });
});

describe('a collector of pages', () => {
  const collect = (...marks: [key: string, page?: string][]) => {
    const collector = new PageCollector<string>();
    return marks.map(([key, page]) => collector.add(`${key}${page ?? ''}`, { key, page }));
  };
  const none = undefined;

  it.each<[string, [string, string?][], unknown[]]>([
    ['answers a whole event at once', [['a'], ['b']], [['a'], ['b']]],
    ['answers pages with the last', [['a', '1/2'], ['a', '2/2'], ['b']], [none, ['a1/2', 'a2/2'], ['b']]],
    ['drops pages that began before it', [['a', '2/3'], ['a', '3/3'], ['b']], [none, none, ['b']]],
    ['drops pages whose rest never came', [['a', '1/2'], ['b'], ['a', '2/2']], [none, ['b'], none]],
    [
      'drops pages with a gap',
      [
        ['a', '1/3'],
        ['a', '3/3'],
      ],
      [none, none],
    ],
    [
      'begins anew with a first page: a torn event written again',
      [
        ['a', '1/3'],
        ['a', '2/3'],
        ['a', '1/2'],
        ['a', '2/2'],
      ],
      [none, none, none, ['a1/2', 'a2/2']],
    ],
    [
      'never mixes two events',
      [
        ['a', '1/2'],
        ['b', '2/2'],
      ],
      [none, none],
    ],
    [
      'leaves to its reader what is no page',
      [
        ['a', 'x'],
        ['b', '3/2'],
        ['c', '0/1'],
      ],
      [['ax'], ['b3/2'], ['c0/1']],
    ],
  ])('%s', (_, marks, answers) => {
    expect(collect(...marks)).toEqual(answers);
  });
});

describe('a joiner of pages', () => {
  it('answers events for decodeEvent, one by one, and forgets an unfinished one when told', () => {
    const joiner = new PageJoiner();
    const [small, large] = [anEvent(), aLargeEvent(1_000)];
    const messages = asMessages(large);
    joiner.add(messages[0]!);
    joiner.clear();
    const heard = [...messages.slice(1), ...asMessages(small), ...messages].flatMap((m) => joiner.add(m) ?? []);
    expect(heard.map((whole) => decodeEvent(whole, 1))).toEqual([
      { ...small, sequence: 1 },
      { ...large, sequence: 1 },
    ]);
  });
});
