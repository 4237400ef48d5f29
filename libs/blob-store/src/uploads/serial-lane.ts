/** Runs tasks one after the other, in the order they were given; a failed task does not stop the next. */
export class SerialLane {
  #tail: Promise<unknown> = Promise.resolve();
  #pending = 0;

  get busy(): boolean {
    return this.#pending > 0;
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    const result = this.#tail.then(task).finally(() => {
      this.#pending -= 1;
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
