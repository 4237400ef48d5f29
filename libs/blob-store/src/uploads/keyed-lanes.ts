import { SerialLane } from './serial-lane.js';

/** Runs tasks of the same key one after the other, those of different keys side by side. */
export class KeyedLanes {
  readonly #lanes = new Map<string, SerialLane>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? new SerialLane();
    this.#lanes.set(key, lane);
    try {
      return await lane.run(task);
    } finally {
      if (!lane.busy && this.#lanes.get(key) === lane) this.#lanes.delete(key);
    }
  }
}
