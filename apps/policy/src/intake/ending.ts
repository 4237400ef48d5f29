/** Tells those who wait that waiting is over: an abort signal, at a fraction of what one costs. */
export class Ending {
  private readonly waiting = new Set<() => void>();
  private over = false;

  get isOver(): boolean {
    return this.over;
  }

  /** `stop` is called at the end, unless it is taken out before. */
  add(stop: () => void): void {
    this.waiting.add(stop);
  }

  delete(stop: () => void): void {
    this.waiting.delete(stop);
  }

  /** Waiting is over. */
  end(): void {
    this.over = true;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const stop of waiting) stop();
  }
}

/** Over when the signal comes. */
export function endingOf(signal: AbortSignal): Ending {
  const ending = new Ending();
  if (signal.aborted) ending.end();
  else signal.addEventListener('abort', () => ending.end(), { once: true });
  return ending;
}
