import { OutcomeUnknown } from '../errors.js';
import type { IntentSender } from '../intents/intent-sender.js';
import type { IntentEnd, Settled } from '../intents/settled.js';
import type { Change } from './session-memory.js';

/**
 * Sends a change, and tells the memory how it ended: before the caller hears of it, or, where the end is unknown,
 * whenever it is known.
 */
export async function untilKnown(
  change: Change,
  sender: Pick<IntentSender, 'whenEnded'>,
  send: () => Promise<Settled>,
): Promise<Settled> {
  try {
    const settled = await send();
    change.ended(settled);
    return settled;
  } catch (error) {
    if (error instanceof OutcomeUnknown) sender.whenEnded(error.intentId, (end) => change.ended(end));
    else if (isEnd(error)) change.ended(error);
    else change.notSent();
    throw error;
  }
}

/** A refusal or failure that stands in the log. */
const isEnd = (error: unknown): error is Extract<IntentEnd, Error> =>
  error instanceof Error && 'sequence' in error && 'intentId' in error;
