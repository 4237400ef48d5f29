import { partitionOf, type StoredEvent } from '@retrace/contracts';
import type { ReadModels } from '../read-models.js';
import { type FoldStep, ReadModelFolds } from './read-model-folds.js';

/** A log, read from its beginning. */
export interface ReplayedLog {
  read(): AsyncIterable<StoredEvent>;
}

/** Events that are folded at once. */
const AT_ONCE = 256;

/**
 * Folds a log into empty read models without a service: what comes out is what a service shows that folded the same log.
 * A log with messages that nobody can read ends it with the reader's error. Answers the newest sequence; 0 of an empty log.
 */
export async function replayInto(models: ReadModels, log: ReplayedLog): Promise<number> {
  const folds = new ReadModelFolds(models);
  let last = 0;
  let lanes = new Map<string, FoldStep[]>();
  const foldAll = async (): Promise<void> => {
    for (const [lane, steps] of lanes) await folds.foldAll(lane, steps);
    lanes = new Map();
  };
  for await (const event of log.read()) {
    const lane = String(partitionOf(event.workspace));
    const position = { sequence: event.sequence, eventId: event.id };
    const steps = lanes.get(lane) ?? [];
    // A large event is written as pages, and read at the place of its last one.
    const messages = event.sequence - last;
    steps.push({ event, position, messages });
    lanes.set(lane, steps);
    last = event.sequence;
    if (steps.length === AT_ONCE || messages > 1) await foldAll();
  }
  await foldAll();
  return last;
}
