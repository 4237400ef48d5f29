import type { JetStreamManager, MsgRequest, StoredMsg } from '@nats-io/jetstream';

const NO_MESSAGE = 10037;

/**
 * Answers the place of the newest whole event under a subject filter: of one in pages that of its last page. Pages
 * whose rest the broker lost, or has not shown yet, are no event; nobody will ever stand at their places.
 * `undefined`: none. Asks the leader, because a lagging replica would make its reader miss what is there.
 */
export async function newestWhole(jsm: JetStreamManager, stream: string, filter: string): Promise<number | undefined> {
  let message = await leaderGet(jsm, stream, { last_by_subj: filter });
  while (message && !isLastPage(message)) message = await lastBefore(jsm, stream, filter, firstOf(message));
  return message?.seq;
}

/** A message by the leader's word; `null`: none. */
export async function leaderGet(jsm: JetStreamManager, stream: string, query: MsgRequest): Promise<StoredMsg | null> {
  try {
    return await jsm.streams.getMessage(stream, query);
  } catch (error) {
    // A time-out or a missing leader is not an answer.
    if ((error as { code?: unknown }).code === NO_MESSAGE) return null;
    throw error;
  }
}

/** The server looks forwards only ("the next at or after"): the last one before a place is found by bisection. */
async function lastBefore(
  jsm: JetStreamManager,
  stream: string,
  filter: string,
  end: number,
): Promise<StoredMsg | null> {
  let found: StoredMsg | null = null;
  for (let low = 1, high = end; low < high;) {
    const middle = (low + high) >> 1;
    // The client's type leaves out what the server knows.
    const query = { seq: middle, next_by_subj: filter } as MsgRequest;
    const next = await leaderGet(jsm, stream, query);
    if (next && next.seq < end) {
      found = next;
      low = next.seq + 1;
    } else high = middle;
  }
  return found;
}

const pageOf = ({ header }: StoredMsg): { number: number; count: number } => {
  const [number = 1, count = 1] = (header.get('ce-page') || '1/1').split('/').map(Number);
  return { number, count };
};

const isLastPage = (message: StoredMsg): boolean => pageOf(message).number >= pageOf(message).count;

/** Pages stand next to each other. */
const firstOf = (message: StoredMsg): number => message.seq - pageOf(message).number + 1;
