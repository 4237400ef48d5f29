import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf, type ErrorCode, QueryLog } from '@retrace/contracts';
import type { z } from 'zod';
import { withSignal } from '../content/abortable.js';
import type { Request, WorkspaceCalls } from '../workspace-calls.js';

export type EventEntry = z.infer<(typeof QueryLog)['reply']>['entries'][number];
export type LogFilter = Request<typeof QueryLog>;

export interface EventsOptions {
  /** The sequence to go on from; without it, what is new from this call on. */
  readonly after?: number | undefined;
  readonly filter?: Omit<LogFilter, 'after_sequence' | 'before_sequence' | 'wait_ms' | 'limit'> | undefined;
  /**
   * Tell of an open logical operation too: again with each of its parts, at a later sequence and with the same
   * `logical_operation_id`, until it comes with `open: false`. Else it is told of once, when it was committed or aborted.
   */
  readonly open?: boolean | undefined;
  /** Ends the iteration; no error. */
  readonly signal?: AbortSignal | undefined;
}

/** Tells of the next reconnect: an answer that was on its way is lost then. */
export type Interruption = () => { readonly happened: Promise<void>; readonly forget: () => void };

const WAIT_MS = 20_000;
/** Beyond the wait itself. */
const ANSWER_MS = 10_000;
const PAGE = 500;
const PAUSES_MS = [100, 250, 500, 1_000, 2_000] as const;

/** What passes once the system is there again. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['unavailable', 'timeout', 'not_ready', 'busy']);

/**
 * Follows the log: each entry once, in order, also when the connection or a service was away meanwhile. The place is
 * the cursor of the last answer, so that nothing hangs on what was heard. An entry to which something is added later
 * comes again, at its later place: that of a rollback in several parts, and, where `open` is asked for, that of an open
 * logical operation.
 */
export function followLog(
  calls: Pick<WorkspaceCalls, 'call'>,
  options: EventsOptions,
  interruption: Interruption,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): AsyncIterableIterator<EventEntry> {
  const { after, filter = {} } = options;
  const begin = after === undefined ? newest(calls, filter) : Promise.resolve(after);
  // Whoever iterates is told; until then nobody listens.
  begin.catch(() => undefined);
  return entriesFrom(begin, new LogReader(calls, options, interruption, pause), options);
}

const newest = async (calls: Pick<WorkspaceCalls, 'call'>, filter: LogFilter): Promise<number> =>
  (await calls.call(QueryLog, { ...filter, limit: 1 })).cursor;

async function* entriesFrom(
  begin: Promise<number>,
  reader: LogReader,
  { signal, open = false }: EventsOptions,
): AsyncGenerator<EventEntry> {
  try {
    let cursor = await withSignal(begin, signal);
    for (;;) {
      const page = await reader.after(cursor);
      for (const entry of page.entries) {
        // Never twice, whatever the answer holds.
        if (entry.sequence <= cursor) continue;
        cursor = entry.sequence;
        // It comes to stand at a later place with its end.
        if (open || !entry.open) yield entry;
      }
      cursor = Math.max(cursor, page.cursor);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

type Page = z.infer<(typeof QueryLog)['reply']>;

/** Asks for what comes after a place until there is an answer. */
class LogReader {
  constructor(
    private readonly calls: Pick<WorkspaceCalls, 'call'>,
    private readonly options: EventsOptions,
    private readonly interruption: Interruption,
    private readonly pause: (ms: number) => Promise<unknown>,
  ) {}

  async after(cursor: number): Promise<Page> {
    const { signal } = this.options;
    for (let failures = 0; ; failures += 1) {
      const page = await withSignal(this.ask(cursor), signal);
      if (page) return page;
      await withSignal(this.pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]!), signal);
    }
  }

  /** `undefined`: to be asked again. */
  private async ask(cursor: number): Promise<Page | undefined> {
    const request = { ...this.options.filter, after_sequence: cursor, wait_ms: WAIT_MS, limit: PAGE };
    const answer = this.calls.call(QueryLog, request, { timeoutMs: WAIT_MS + ANSWER_MS });
    const interrupted = this.interruption();
    try {
      return (await Promise.race([answer, interrupted.happened])) ?? undefined;
    } catch (error) {
      if (PASSING.has(errorCodeOf(error))) return undefined;
      throw error;
    } finally {
      interrupted.forget();
      answer.catch(() => undefined);
    }
  }
}
