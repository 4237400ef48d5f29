import { EVENTS, parseEventSubject, type StoredEvent } from '@retrace/contracts';
import { decodeMessages, type LaneDelivery, TerminalError } from '@retrace/event-log';
import type { LaneFolds } from './lane-folds.js';

const KNOWN: ReadonlySet<string> = new Set(EVENTS.map(({ entity, verb }) => `${entity}.${verb}`));

/**
 * Folds what came, whatever it is: every event of the catalogue in the same way; what each changes stands in
 * `@retrace/read-models`. Throws {@link TerminalError} for what nobody can read. A kind of event that a later version
 * brought is passed by and counted: a rebuild with that version folds it.
 */
export async function foldDelivery(lanes: LaneFolds, delivery: LaneDelivery): Promise<void> {
  const address = parseEventSubject(delivery.message.subject);
  if (!address || !KNOWN.has(`${address.entity}.${address.verb}`)) return lanes.pass(delivery, true);
  if (!delivery.position.eventId) throw new TerminalError('no_event_id', `no ce-id at ${delivery.position.sequence}`);
  await lanes.fold(decoded(delivery), delivery);
}

/** What cannot be read cannot be read again. */
function decoded({ pages }: LaneDelivery): StoredEvent {
  try {
    return decodeMessages(pages, 'quick');
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new TerminalError(code ?? 'bad_json', message, { cause: error });
  }
}
