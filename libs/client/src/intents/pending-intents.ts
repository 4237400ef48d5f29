import type { IntentId } from '@retrace/contracts';
import { IntentDeniedError, OutcomeUnknown, UploadFailedError } from '../errors.js';
import { conclude, type OutcomeEvent, type Settled } from './settled.js';

interface Waiter {
  readonly resolve: (settled: Settled) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  uploadError?: unknown;
}

/** The intents whose outcome somebody here waits for. */
export class PendingIntents {
  private readonly waiting = new Map<IntentId, Waiter>();

  /** Waits for an outcome; `onExpired` is called once, after `timeoutMs` without one. */
  add(id: IntentId, timeoutMs: number, onExpired: () => void): Promise<Settled> {
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, timer: setTimeout(onExpired, timeoutMs) });
    });
  }

  has(id: IntentId): boolean {
    return this.waiting.has(id);
  }

  ids(): IntentId[] {
    return [...this.waiting.keys()];
  }

  /** Remembers why content is missing: the denial that follows says only that it is. */
  noteUploadError(id: IntentId, error: unknown): void {
    const waiter = this.waiting.get(id);
    if (waiter) waiter.uploadError = error;
  }

  /** Answers whether the event ended the intent. An intent that nobody waits for is passed by. */
  take(id: IntentId, event: OutcomeEvent): boolean {
    const waiter = this.waiting.get(id);
    if (!waiter) return false;
    try {
      const end = conclude(event);
      if (end === undefined) return false;
      this.remove(id, waiter);
      if (end instanceof Error) waiter.reject(explained(end, waiter));
      else waiter.resolve(end);
    } catch (cause) {
      this.reject(id, new OutcomeUnknown(id, `its outcome ${event.type} cannot be read`, { cause }));
    }
    return true;
  }

  reject(id: IntentId, error: Error): void {
    const waiter = this.waiting.get(id);
    if (!waiter) return;
    this.remove(id, waiter);
    waiter.reject(error);
  }

  /** What the upload of this intent's content said, where it failed. */
  uploadErrorOf(id: IntentId): unknown {
    return this.waiting.get(id)?.uploadError;
  }

  private remove(id: IntentId, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.waiting.delete(id);
  }
}

const explained = (error: Error, { uploadError }: Waiter): Error =>
  uploadError !== undefined && error instanceof IntentDeniedError ? new UploadFailedError(error, uploadError) : error;
