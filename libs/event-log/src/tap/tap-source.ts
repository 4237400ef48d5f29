import type { LaneMessage } from '../lanes/lane-message.js';
import type { MessageSource, OpenedMessages, SourceOptions } from '../lanes/message-source.js';
import { subjectMatches } from '../subject-matches.js';
import type { LogTap } from './log-tap.js';

/** So many are handed over at once; and so many others are passed before the reader looks up. */
const MOST = 256;
/** Few workspaces and principals make all subjects. */
const REMEMBERED = 4_096;

/** Reads at the tap what it holds, and by a consumer what came before. */
export class TapSource implements MessageSource {
  constructor(
    private readonly tap: LogTap,
    private readonly behind: MessageSource,
  ) {}

  async open(options: SourceOptions): Promise<OpenedMessages> {
    const messages = new TappedMessages(this.tap, this.behind, options);
    await messages.begin();
    return messages;
  }
}

class TappedMessages implements OpenedMessages {
  private cursor: number;
  private era: number;
  /** While what is needed is not held any more, or not yet. */
  private own: OpenedMessages | undefined;
  private stopped = false;
  private wake: (() => void) | undefined;
  private readonly matching = new Map<string, boolean>();

  constructor(
    private readonly tap: LogTap,
    private readonly behind: MessageSource,
    private readonly options: SourceOptions,
  ) {
    this.cursor = options.start;
    this.era = tap.currentEra;
  }

  async begin(): Promise<void> {
    this.era = this.tap.currentEra;
    if (!this.tap.covers(this.cursor)) this.own = await this.behind.open({ ...this.options, start: this.cursor });
  }

  async next(): Promise<readonly LaneMessage[] | undefined> {
    while (!this.stopped) {
      const messages = this.own ? await this.nextOfOwn(this.own) : await this.nextOfTap();
      if (messages === undefined || messages.length > 0) return messages;
    }
    return undefined;
  }

  stop(): void {
    this.stopped = true;
    this.own?.stop();
    this.wake?.();
  }

  close(): void {
    this.stop();
    this.own?.close();
  }

  private async nextOfOwn(own: OpenedMessages): Promise<readonly LaneMessage[] | undefined> {
    const messages = await own.next();
    if (messages === undefined) return undefined;
    this.cursor = messages.at(-1)!.seq + 1;
    if (this.tap.covers(this.cursor)) {
      this.era = this.tap.currentEra;
      this.own = undefined;
      own.close();
    }
    return messages;
  }

  private async nextOfTap(): Promise<readonly LaneMessage[] | undefined> {
    const { tap } = this;
    // Whoever opens again looks what stands in the log first.
    if (this.era !== tap.currentEra) return this.lost();
    if (this.cursor >= tap.end) await this.news();
    if (this.era !== tap.currentEra) return this.lost();
    if (!tap.covers(this.cursor)) return this.fallBehind();
    const messages: LaneMessage[] = [];
    for (const end = Math.min(tap.end, this.cursor + MOST); this.cursor < end; this.cursor += 1) {
      const message = tap.at(this.cursor);
      if (this.wants(message.subject)) messages.push(message);
    }
    return messages;
  }

  private lost(): undefined {
    this.options.onReset();
    return undefined;
  }

  private async fallBehind(): Promise<readonly LaneMessage[]> {
    this.own = await this.behind.open({ ...this.options, start: this.cursor });
    return [];
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.tap.onNews(resolve);
      this.wake = () => {
        forget();
        resolve();
      };
      if (this.stopped) this.wake();
    });
  }

  private wants(subject: string): boolean {
    const known = this.matching.get(subject);
    if (known !== undefined) return known;
    if (this.matching.size >= REMEMBERED) this.matching.clear();
    const wanted = this.options.filters.some((filter) => subjectMatches(filter, subject));
    this.matching.set(subject, wanted);
    return wanted;
  }
}
