import {
  definitionOf,
  type EncodedEvent,
  encodeEvent,
  type EncodedWhole,
  type EventEnvelope,
  RetraceError,
} from '@retrace/contracts';

/** The most data of one message of the log, in bytes; what is larger becomes pages. */
export const PAGE_BYTES = 512 * 1024;
/** The most messages that the broker takes in one atomic batch. */
export const MAX_PAGES = 1_000;
/** What headers may add to a message, in bytes. */
const HEADER_BYTES = 16 * 1024;
/** What the buses that Retrace starts take in one message, in bytes. */
const BUS_BYTES = 8 * 1024 * 1024;

export interface PageLimits {
  /** The most that the bus takes in one message, in bytes. */
  readonly messageBytes?: number | undefined;
  readonly pageBytes?: number;
  readonly maxPages?: number;
}

/**
 * Turns an event into its messages: one, or pages of at most {@link PAGE_BYTES} of data each, which must be appended
 * all or none. What cannot be cut so is one message where the bus takes it.
 * Throws {@link RetraceError} `intent_too_large` otherwise.
 */
export function encodePages(event: EventEnvelope, limits: PageLimits = {}): readonly EncodedEvent[] {
  return pagesOf(encodeEvent(event), limits);
}

/** Like {@link encodePages}, of an event that is encoded already. */
export function pagesOf(whole: EncodedWhole, limits: PageLimits = {}): readonly EncodedEvent[] {
  const { messageBytes = BUS_BYTES, pageBytes = PAGE_BYTES, maxPages = MAX_PAGES } = limits;
  const { event } = whole;
  const bytes = Buffer.byteLength(whole.body);
  if (bytes <= pageBytes) return [whole];
  const pages = cut(whole, definitionOf(event.type)?.pagedBy, pageBytes);
  if (Array.isArray(pages) && pages.length <= maxPages) return pages;
  const why = Array.isArray(pages) ? `its ${pages.length} pages are more than the ${maxPages} of a batch` : pages;
  const room = messageBytes - HEADER_BYTES;
  if (bytes <= room) return [whole];
  throw new RetraceError(
    'intent_too_large',
    `${event.type} has ${bytes} bytes, the bus takes ${room} in one message, and ${why}: ask for fewer operations, or shorter ones`,
  );
}

/** The pages, or why there are none. */
function cut(
  { subject, headers, body }: EncodedEvent,
  pagedBy: string | undefined,
  pageBytes: number,
): EncodedEvent[] | string {
  if (pagedBy === undefined) return 'it is not written in pages';
  const { [pagedBy]: array, ...others } = JSON.parse(body) as Record<string, unknown>;
  const elements = (array as unknown[]).map((element) => JSON.stringify(element));
  const shared = JSON.stringify(others).slice(1, -1);
  const before = `{${shared}${shared && ','}"${pagedBy}":[`;
  const after = ']}';
  const pages = fill(elements, pageBytes - Buffer.byteLength(before) - Buffer.byteLength(after));
  if (typeof pages === 'string') return pages;
  return pages.map((page, i) => ({
    subject,
    headers: { ...headers, 'ce-page': `${i + 1}/${pages.length}` },
    body: `${before}${page.join(',')}${after}`,
  }));
}

/** Fills pages one after the other; a comma is counted with each element. */
function fill(elements: readonly string[], room: number): string[][] | string {
  if (room <= 0) return 'what each page would carry has no room on one';
  const pages: string[][] = [];
  let left = 0;
  for (const element of elements) {
    const bytes = Buffer.byteLength(element) + 1;
    if (bytes > room) return `one element has ${bytes} bytes where a page has room for ${room}`;
    if (bytes > left) {
      pages.push([]);
      left = room;
    }
    pages.at(-1)!.push(element);
    left -= bytes;
  }
  return pages;
}
