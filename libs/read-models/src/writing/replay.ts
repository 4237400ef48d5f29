import { partitionOf, type StoredEvent } from '@retrace/contracts';
import type { ReadModels } from '../read-models.js';
import { ReadModelFolds } from './read-model-folds.js';

/** A log, read from its beginning. */
export interface ReplayedLog {
  read(): AsyncIterable<StoredEvent>;
}

/**
 * Folds a log into empty read models without a service: what comes out is what a service shows that folded the same log.
 * A log with messages that nobody can read ends it with the reader's error. Answers the newest sequence; 0 of an empty log.
 */
export async function replayInto(models: ReadModels, log: ReplayedLog): Promise<number> {
  const folds = new ReadModelFolds(models);
  let last = 0;
  for await (const event of log.read()) {
    // A large event is written as pages, and read at the place of its last one.
    await folds.fold(String(partitionOf(event.workspace)), event, event.sequence - last);
    last = event.sequence;
  }
  return last;
}
