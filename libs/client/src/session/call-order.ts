/**
 * Keeps the order of calls that are not awaited although some need time before they can be sent (a stream that must be
 * read to its end). A call with nothing before it is sent before {@link CallOrder.run} returns.
 */
export class CallOrder {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** `prepare` begins at once; `send` is called after it, in the order of the calls. A call that fails holds up none. */
  run<P, T>(prepare: (() => Promise<P>) | undefined, send: (prepared: P | undefined) => Promise<T>): Promise<T> {
    if (!prepare && this.waiting === 0) return send(undefined);
    this.waiting += 1;
    const prepared = prepare?.() ?? Promise.resolve(undefined);
    // Whoever called is told below; until its turn nobody listens.
    prepared.catch(() => undefined);
    const sent = this.tail.then(() => prepared).then((value) => ({ outcome: send(value) }));
    this.tail = sent.then(
      () => (this.waiting -= 1),
      () => (this.waiting -= 1),
    );
    return sent.then(({ outcome }) => outcome);
  }
}
