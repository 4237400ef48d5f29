import type { ReadModels } from '../read-models.js';

/**
 * Databases of read models, numbered, of which one is the current one. Another may be built beside it; a crash before
 * {@link ReadModelStore.makeCurrent} leaves the current one as it was.
 */
export interface ReadModelStore {
  /** Opens the current one, or makes the first. What else is there was half built, or is not needed any more: it goes. */
  openCurrent(): Promise<NumberedReadModels>;
  /** Makes an empty one beside the current one. */
  openNext(): Promise<NumberedReadModels>;
  /** From the next start on this one is the current one. */
  makeCurrent(number: number): Promise<void>;
  /**
   * Removes one that is closed. Rejects for the current one: who does not know whether {@link ReadModelStore.makeCurrent}
   * came through MUST not lose what the next start opens.
   */
  drop(number: number): Promise<void>;
  /** Closes what the store itself holds. */
  close(): Promise<void>;
}

/** What {@link ReadModelStore.drop} rejects with for the current one. */
export const isCurrent = (number: number): Error =>
  new Error(`the read models number ${number} are the current ones: the next start opens them, so they stay`);

export interface NumberedReadModels {
  readonly number: number;
  readonly models: ReadModels;
}
