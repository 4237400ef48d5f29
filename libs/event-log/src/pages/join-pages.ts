import { EVENTS, RetraceError } from '@retrace/contracts';

/** One message of the log, as it was stored or republished. */
export interface LogMessage {
  readonly subject: string;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/** An event as its messages say it: `body` where it is one message, `json` where it was put together. */
export interface WholeMessage {
  readonly subject: string;
  /** Of the last page, `ce-page` left out. */
  readonly header: (name: string) => string | undefined;
  readonly body: string | undefined;
  readonly json?: unknown;
}

/** Puts all pages of an event together, first to last. Throws {@link RetraceError} `bad_json` or `bad_request`. */
export function joinPages(pages: readonly LogMessage[]): WholeMessage {
  const last = pages.at(-1)!;
  const page = last.header('ce-page');
  if (page === undefined) return last;
  if (page !== `${pages.length}/${pages.length}`)
    throw new RetraceError('bad_request', `page ${page} of ${last.header('ce-id')} without the others`);
  const header = (name: string): string | undefined => (name === 'ce-page' ? undefined : last.header(name));
  return { subject: last.subject, header, body: undefined, json: joinData(pages, last.header('ce-type') ?? '') };
}

function joinData(pages: readonly LogMessage[], type: string): unknown {
  // By entity and verb: the array keeps its name through all versions of an event.
  const definition = EVENTS.find(({ entity, verb }) => type.startsWith(`retrace.${entity}.${verb}.v`));
  const pagedBy = definition?.pagedBy;
  if (pagedBy === undefined) throw new RetraceError('bad_request', `${type} is not written in pages`);
  const parts = pages.map(({ body }) => parse(body));
  const elements = parts.flatMap((part) => {
    const array = part[pagedBy];
    if (!Array.isArray(array)) throw new RetraceError('bad_request', `a page of ${type} has no ${pagedBy}`);
    return array as unknown[];
  });
  return { ...parts.at(-1), [pagedBy]: elements };
}

function parse(body: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (cause) {
    throw new RetraceError('bad_json', 'the body of a page is no JSON', { cause });
  }
  if (typeof json === 'object' && json !== null) return json as Record<string, unknown>;
  throw new RetraceError('bad_request', 'the body of a page is no object');
}
