import { type Intent, IntentSchema, MAX_INTENT_BYTES } from '@retrace/contracts';
import { z } from 'zod';
import { IntentNotSent } from '../errors.js';
import { tooLarge } from './publish-error.js';

/** Checks an intent before it travels. Throws {@link IntentNotSent}. */
export function encodeIntent(intent: Intent): string {
  const body = JSON.stringify(intent);
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_INTENT_BYTES) throw tooLarge(bytes);
  const parsed = IntentSchema.safeParse(intent);
  if (!parsed.success) throw new IntentNotSent('malformed_intent', z.prettifyError(parsed.error));
  return body;
}
