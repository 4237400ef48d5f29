import { MAX_INTENT_BYTES } from '@retrace/contracts';
import { IntentNotSent } from '../errors.js';

const MESSAGE_TOO_LARGE = 10_054;
const STORE_FAILED = 10_077;

/**
 * Reads a failed publish: an {@link IntentNotSent} where nothing was stored for certain, `undefined` where that is open
 * (no acknowledgement in time, a connection that went).
 */
export function notStored(error: unknown): IntentNotSent | undefined {
  const { name, code, message = '' } = error as { name?: string; code?: unknown; message?: string };
  const options = { cause: error };
  if (name === 'JetStreamApiError' && code === MESSAGE_TOO_LARGE) return tooLarge(undefined, options);
  if (name === 'JetStreamApiError' && code === STORE_FAILED && /per subject/.test(message))
    return new IntentNotSent(
      'too_many_waiting',
      'too many intents of yours wait for a decision here: await some outcomes, then send again',
      options,
    );
  if (name === 'JetStreamApiError')
    return new IntentNotSent(
      'unavailable',
      `the bus did not take the intent: ${message}. See: retrace status`,
      options,
    );
  if (isPermission(error))
    return new IntentNotSent('forbidden', 'the bus lets nobody speak for others: check the credentials', options);
  if (name === 'NoResponders' || name === 'StreamNotFoundError')
    return new IntentNotSent('unavailable', 'nobody takes intents in. Is it up? See: retrace status', options);
  return undefined;
}

export const tooLarge = (bytes?: number, options?: ErrorOptions): IntentNotSent =>
  new IntentNotSent(
    'intent_too_large',
    `an intent has at most ${MAX_INTENT_BYTES} bytes${bytes === undefined ? '' : `, this one ${bytes}`}; send fewer operations`,
    options,
  );

const isPermission = (error: unknown): boolean => {
  const { name, cause } = error as { name?: string; cause?: { name?: string } };
  return name === 'PermissionViolationError' || cause?.name === 'PermissionViolationError';
};
