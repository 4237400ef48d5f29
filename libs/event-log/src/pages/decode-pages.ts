import { decodeEvent, type StoredEvent } from '@retrace/contracts';
import { recentEvents } from '../recent/recent-events.js';
import { joinPages, type LogMessage } from './join-pages.js';
import type { StreamMessage } from './stream-message.js';

export const pageMark = ({ subject, headers }: Pick<StreamMessage, 'subject' | 'headers'>) => ({
  key: `${subject} ${headers?.get('ce-id') ?? ''}`,
  page: headers?.get('ce-page') || undefined,
});

/** Readers of one process share what they hear together; each message is parsed by the first of them. */
const decoded = new WeakMap<StreamMessage, StoredEvent>();

/**
 * Reads all messages of one event, first page to last; its sequence is that of the last. Throws as `decodeEvent` does,
 * which says what `look` is.
 */
export function decodeMessages(pages: readonly StreamMessage[], look?: 'whole' | 'quick'): StoredEvent {
  const last = pages.at(-1)!;
  const known = decoded.get(last);
  if (known) return known;
  const event = recentEvents.recall(pages) ?? decodeEvent(joinPages(pages.map(toLogMessage)), last.seq, look);
  // Others get nothing that was not parsed.
  if (look !== 'quick') decoded.set(last, event);
  return event;
}

const toLogMessage = (message: StreamMessage): LogMessage => ({
  subject: message.subject,
  header: (name) => message.headers?.get(name) || undefined,
  body: message.string(),
});
