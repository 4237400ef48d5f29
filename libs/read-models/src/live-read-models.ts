import type { EntityManager } from 'typeorm';
import type { ReadModelReader } from './read-models.js';

/** The read models that questions go to at the moment. */
export class LiveReadModels implements ReadModelReader {
  constructor(private current: ReadModelReader) {}

  /** Questions that come later go there; those under way end where they began. */
  switchTo(next: ReadModelReader): void {
    this.current = next;
  }

  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.current.read(work);
  }
}
