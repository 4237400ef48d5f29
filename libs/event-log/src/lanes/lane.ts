import type { JsMsg } from '@nats-io/jetstream';

/** The queue of one lane; its messages are handled one after another. */
export class Lane {
  queue: JsMsg[] = [];
  /** The highest sequence that was queued, or the stored position. */
  enqueued = 0;
  /** Where reading must begin for this lane. */
  from = 1;
  /** Lost its place in the reader: messages were passed over and are read again once it moves. */
  overflow = false;
  /** Its head message is being retried. */
  failing = false;
  running: Promise<void> | undefined;
  private waiting: (() => void) | undefined;

  constructor(readonly name: string) {}

  wake(): void {
    this.waiting?.();
  }

  /** Resolves when the lane moves, restarts, or after `ms`. A failing lane holds nobody up. */
  room(ms: number): Promise<void> {
    if (this.failing) return Promise.resolve();
    return new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.waiting = done;
    });
  }
}
