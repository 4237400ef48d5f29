import type { IntentId } from '@retrace/contracts';
import { IntentDeniedError, OutcomeUnknown, UploadFailedError } from '../errors.js';
import { conclude, type IntentEnd, type OutcomeEvent, type Settled } from './settled.js';

interface Waiter {
  readonly resolve: (settled: Settled) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  uploadError?: unknown;
}

/** The intents whose outcome somebody here waits for. */
export class PendingIntents {
  private readonly waiting = new Map<IntentId, Waiter>();
  private readonly listeners = new Map<IntentId, Set<(end: IntentEnd) => void>>();

  /** Waits for an outcome; `onExpired` is called once, after `timeoutMs` without one. */
  add(id: IntentId, timeoutMs: number, onExpired: () => void): Promise<Settled> {
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, timer: setTimeout(onExpired, timeoutMs) });
    });
  }

  /** Hears how an intent ended, however late, whether or not it is waited for. Answers how to stop listening. */
  listen(id: IntentId, onEnd: (end: IntentEnd) => void): () => void {
    const listeners = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, listeners.add(onEnd));
    return () => {
      listeners.delete(onEnd);
      if (listeners.size === 0 && this.listeners.get(id) === listeners) this.listeners.delete(id);
    };
  }

  has(id: IntentId): boolean {
    return this.waiting.has(id);
  }

  /** Whether anybody wants to know how it ended. */
  concerns(id: IntentId): boolean {
    return this.waiting.has(id) || this.listeners.has(id);
  }

  /** All that anybody wants to know the end of. */
  ids(): IntentId[] {
    return [...new Set([...this.waiting.keys(), ...this.listeners.keys()])];
  }

  /** Remembers why content is missing: the denial that follows says only that it is. */
  noteUploadError(id: IntentId, error: unknown): void {
    const waiter = this.waiting.get(id);
    if (waiter) waiter.uploadError = error;
  }

  /** Answers whether the event ended the intent. An intent that nobody asks about is passed by. */
  take(id: IntentId, event: OutcomeEvent): boolean {
    if (!this.concerns(id)) return false;
    try {
      const end = conclude(event);
      if (end === undefined) return false;
      this.end(id, end);
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

  private end(id: IntentId, end: IntentEnd): void {
    for (const listener of this.listeners.get(id) ?? []) listener(end);
    this.listeners.delete(id);
    const waiter = this.waiting.get(id);
    if (!waiter) return;
    this.remove(id, waiter);
    if (end instanceof Error) waiter.reject(explained(end, waiter));
    else waiter.resolve(end);
  }

  private remove(id: IntentId, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.waiting.delete(id);
  }
}

const explained = (error: Error, { uploadError }: Waiter): Error =>
  uploadError !== undefined && error instanceof IntentDeniedError
    ? new UploadFailedError(error.intentId, uploadError, error.code)
    : error;
