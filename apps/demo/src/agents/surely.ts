import { setTimeout as sleep } from 'node:timers/promises';
import { IntentDeniedError, IntentNotSent, OutcomeUnknown } from '@retrace/client';
import type { IntentId } from '@retrace/contracts';

const PAUSE_MS = 200;
const TRIES = 150;

/**
 * Sends one intent until it is known what became of it: the same id names the same intent, so a service that dies in
 * the middle costs time and nothing else. What nobody took in, or may succeed later, is sent as a new one.
 */
export async function surely<T>(send: (intentId: IntentId | undefined) => Promise<T>): Promise<T> {
  let intentId: IntentId | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(intentId);
    } catch (error) {
      if (tries === TRIES || !mayPass(error)) throw error;
      intentId = error instanceof OutcomeUnknown ? error.intentId : undefined;
      await sleep(PAUSE_MS);
    }
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof OutcomeUnknown ||
  (error instanceof IntentNotSent && error.code === 'unavailable') ||
  (error instanceof IntentDeniedError && error.retryable);
