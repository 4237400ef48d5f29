import { BlobError, BlobStoreClosed, BlobStoreFailed } from './blob-errors.js';

/** Counts what is running, so that a store closes only under finished work and refuses later work by name. */
export class OperationGate {
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** Starts the task at once. Errors that are not the store's own are wrapped in BlobStoreFailed. */
  async run<T>(subject: string, task: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new BlobStoreClosed(subject);
    const running = task();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw error instanceof BlobError ? error : new BlobStoreFailed(subject, error);
    } finally {
      this.#running.delete(running);
    }
  }

  /** Refuses new tasks and waits for the running ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
  }
}
