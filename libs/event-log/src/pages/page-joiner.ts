import { joinPages, type LogMessage, type WholeMessage } from './join-pages.js';
import { PageCollector } from './page-collector.js';

/**
 * Puts pages together for whoever hears messages of the log one by one, such as a client on `retrace.out.…`: hand every
 * message over in the order of arrival, one joiner per subscription. What it answers goes to `decodeEvent` as it is;
 * the event's sequence is that of the message it was answered for. Keeps one unfinished event at most.
 */
export class PageJoiner {
  private readonly collector = new PageCollector<LogMessage>();

  /**
   * Answers a whole event, `undefined` while pages are missing. Throws {@link RetraceError} `bad_json` or `bad_request`
   * where pages do not fit together.
   */
  add(message: LogMessage): WholeMessage | undefined {
    const key = `${message.subject} ${message.header('ce-id') ?? ''}`;
    const pages = this.collector.add(message, { key, page: message.header('ce-page') || undefined });
    return pages && joinPages(pages);
  }

  /** Forgets what is unfinished: after a reconnect the rest of it may never come. */
  clear(): void {
    this.collector.clear();
  }
}
