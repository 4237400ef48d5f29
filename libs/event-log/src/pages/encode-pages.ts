import { definitionOf, type EncodedEvent, encodeEvent, type EventEnvelope, RetraceError } from '@retrace/contracts';

/** The most data of one message of the log, in bytes; what is larger becomes pages. */
export const PAGE_BYTES = 512 * 1024;
/** The most messages that the broker takes in one atomic batch. */
export const MAX_PAGES = 1_000;
/** What headers may add to a message, in bytes. */
const HEADER_BYTES = 16 * 1024;
/** What the buses that Retrace starts take in one message, in bytes. */
const BUS_BYTES = 8 * 1024 * 1024;

/**
 * Turns an event into its messages: one, or pages of at most {@link PAGE_BYTES} of data each, which must be appended
 * all or none. `messageBytes` is the most that the bus takes in one message. Throws {@link RetraceError}
 * `intent_too_large` where the event cannot be cut small enough.
 */
export function encodePages(event: EventEnvelope, messageBytes: number = BUS_BYTES): readonly EncodedEvent[] {
  const whole = encodeEvent(event);
  const bytes = Buffer.byteLength(whole.body);
  if (bytes <= PAGE_BYTES) return [whole];
  const pagedBy = definitionOf(event.type)?.pagedBy;
  if (pagedBy !== undefined) return cut(whole, pagedBy, event.type);
  const room = messageBytes - HEADER_BYTES;
  if (bytes <= room) return [whole];
  throw tooLarge(`${event.type} has ${bytes} bytes and is not written in pages; the bus takes ${room}`);
}

function cut({ subject, headers, body }: EncodedEvent, pagedBy: string, type: string): EncodedEvent[] {
  const { [pagedBy]: array, ...others } = JSON.parse(body) as Record<string, unknown>;
  const elements = (array as unknown[]).map((element) => JSON.stringify(element));
  const shared = JSON.stringify(others).slice(1, -1);
  const before = `{${shared}${shared && ','}"${pagedBy}":[`;
  const after = ']}';
  const room = PAGE_BYTES - Buffer.byteLength(before) - Buffer.byteLength(after);
  const pages = fill(elements, room, type);
  if (pages.length > MAX_PAGES)
    throw tooLarge(`${type} needs ${pages.length} messages; the broker takes ${MAX_PAGES} at once`);
  return pages.map((page, i) => ({
    subject,
    headers: { ...headers, 'ce-page': `${i + 1}/${pages.length}` },
    body: `${before}${page.join(',')}${after}`,
  }));
}

/** Fills pages one after the other; a comma is counted with each element. */
function fill(elements: readonly string[], room: number, type: string): string[][] {
  const pages: string[][] = [];
  let left = 0;
  for (const element of elements) {
    const bytes = Buffer.byteLength(element) + 1;
    if (bytes > room) throw tooLarge(`one element of ${type} has ${bytes} bytes; a page has room for ${room}`);
    if (bytes > left) {
      pages.push([]);
      left = room;
    }
    pages.at(-1)!.push(element);
    left -= bytes;
  }
  return pages;
}

const tooLarge = (what: string): RetraceError =>
  new RetraceError('intent_too_large', `${what}: ask for fewer operations, or shorter ones`);
