/** Where a message belongs: `key` is the same for all pages of one event and for no other event. */
export interface PageMark {
  readonly key: string;
  /** `ce-page`; absent where the message is a whole event. */
  readonly page: string | undefined;
}

/**
 * Collects the pages of one event after the other. The broker appends all pages of an event or none, next to each
 * other, so whoever reads the log in order needs to keep one unfinished event at most. Pages whose first one was not
 * seen (reading began between them, or the broker lost the rest) are dropped.
 */
export class PageCollector<T> {
  private pages: T[] = [];
  private key = '';

  /** Answers all messages of an event with its last one; `undefined`: not whole, or never to be. */
  add(message: T, { key, page }: PageMark): readonly T[] | undefined {
    const { number, count } = placeOf(page);
    if (number === 1) this.clear();
    else if (key !== this.key || number !== this.pages.length + 1) return this.clear();
    this.key = key;
    this.pages.push(message);
    if (number < count) return undefined;
    const whole = this.pages;
    this.clear();
    return whole;
  }

  /** The pages of an event that is not whole yet. */
  get unfinished(): readonly T[] {
    return this.pages;
  }

  clear(): undefined {
    this.pages = [];
    this.key = '';
  }
}

/** What is no `i/n` is taken for a message of its own, so that its reader refuses it by name. */
function placeOf(page: string | undefined): { number: number; count: number } {
  const [, number, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(page ?? '') ?? [];
  const place = { number: Number(number), count: Number(count) };
  return place.number >= 1 && place.number <= place.count ? place : { number: 1, count: 1 };
}
