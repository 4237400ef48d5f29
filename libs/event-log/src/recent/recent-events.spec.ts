import { describe, expect, it } from '@jest/globals';
import { decodeEvent, type EncodedEvent, encodeEvent, type EventEnvelope } from '@retrace/contracts';
import { anEvent } from '../event-log.contract.js';
import type { StreamMessage } from '../pages/stream-message.js';
import { pagesOf } from '../pages/encode-pages.js';
import { aLargeEvent } from '../pages/large-event.js';
import { RecentEvents } from './recent-events.js';

const bytesOf = (messages: readonly EncodedEvent[]) => messages.map(({ body }) => Buffer.from(body));

/** As the log would give it back. */
const stored = ({ subject, headers, body }: EncodedEvent, seq = 7): StreamMessage => ({
  subject,
  seq,
  headers: { get: (name: string) => headers[name] ?? '' } as never,
  data: Buffer.from(body),
  string: () => body,
});

function published(event: EventEnvelope, recent = new RecentEvents()) {
  const whole = encodeEvent(event);
  const messages = pagesOf(whole);
  recent.remember(whole.event, messages, bytesOf(messages));
  return { recent, whole, messages, pages: messages.map((message) => stored(message)) };
}

describe('what was published a moment ago', () => {
  it('is the event that a reader would parse', () => {
    const { recent, whole, pages } = published(anEvent());
    const header = (name: string): string | undefined => whole.headers[name];
    expect(recent.recall(pages)).toEqual(decodeEvent({ ...whole, header }, 7));
  });

  it('is known by all of its pages, and by no part of them', () => {
    const { recent, whole, pages } = published(aLargeEvent(1_500));
    expect(pages.length).toBeGreaterThan(1);
    expect(recent.recall(pages)).toEqual({ ...whole.event, sequence: 7 });
    expect(recent.recall(pages.slice(1))).toBeUndefined();
  });

  it.each<[string, (of: StreamMessage) => Partial<StreamMessage>]>([
    ['other bytes', () => ({ data: Buffer.from('{}') })],
    ['no bytes', () => ({ data: undefined })],
    ['another subject', () => ({ subject: 'elsewhere' })],
    [
      'another type',
      ({ headers }) => ({ headers: { get: (n: string) => (n === 'ce-id' ? headers?.get(n) : 'x') } as never }),
    ],
  ])('is not taken for what came with %s', (_, change) => {
    const { recent, pages } = published(anEvent());
    expect(recent.recall([{ ...pages[0]!, ...change(pages[0]!) }])).toBeUndefined();
  });

  it('is forgotten when others have come after it', () => {
    const { recent, pages } = published(anEvent());
    for (let i = 0; i < 2_048; i++) published(anEvent(), recent);
    expect(recent.recall(pages)).toBeUndefined();
  });
});
