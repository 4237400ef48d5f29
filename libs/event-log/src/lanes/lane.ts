import { pageMark } from '../pages/decode-pages.js';
import { PageCollector } from '../pages/page-collector.js';
import type { LaneMessage } from './lane-message.js';

/** All messages of one event, first page to last. */
export type Pages = readonly LaneMessage[];

export const bytesOf = (pages: Pages): number => pages.reduce((sum, { data }) => sum + data.length, 0);

/** The queue of one lane; its events are handled one after another. */
export class Lane {
  queue: Pages[] = [];
  /** The event whose last page has not come yet. Not queued, so reading begins before it again. */
  private readonly collector = new PageCollector<LaneMessage>();
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

  /** Takes the next message of the lane; answers all of an event with its last one. */
  collect(message: LaneMessage): Pages | undefined {
    return this.collector.add(message, pageMark(message));
  }

  /** Bytes of the event that is not whole yet. */
  get unfinishedBytes(): number {
    return bytesOf(this.collector.unfinished);
  }

  /** Forgets the event that is not whole: it is read again from its first page. */
  dropUnfinished(): void {
    this.collector.clear();
  }

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
