import { failpoint } from '@retrace/platform/failpoint';
import type { FoldPosition, FoldStep, ReadModelFolds } from '@retrace/read-models';

/** How long an event waits for others. */
const WAIT_MS = 20;
/** So many, or so many bytes, do not wait. */
const MOST = 256;
const MOST_BYTES = 4 << 20;
/** After a fold that failed. */
const RETRY_MS = 1_000;

interface Waiting {
  readonly lane: string;
  readonly step: FoldStep;
  readonly bytes: number;
}

export interface FoldQueueOptions {
  readonly folds: Pick<ReadModelFolds, 'foldAll'>;
  /** Told after each commit. */
  readonly onFolded: (lane: string, checkpoint: NonNullable<Awaited<ReturnType<ReadModelFolds['foldAll']>>>) => void;
  readonly onTrouble: (error: unknown, position: FoldPosition) => void;
}

/**
 * Folds what lanes deliver a moment later, many events in one transaction. What was not folded when the process died is
 * delivered again. An event that cannot be folded holds up its own lane alone.
 */
export class FoldQueue {
  private waiting: Waiting[] = [];
  private bytes = 0;
  private readonly failed = new Map<string, unknown>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly options: FoldQueueOptions) {}

  /** Resolves at once while there is room. Rejects where an earlier event of the lane cannot be folded. */
  async add(lane: string, step: FoldStep, bytes: number): Promise<void> {
    if (this.failed.has(lane) || this.waiting.length >= MOST || this.bytes >= MOST_BYTES) await this.settle(lane);
    this.waiting.push({ lane, step, bytes });
    this.bytes += bytes;
    this.timer ??= setTimeout(() => void this.flush(), WAIT_MS).unref();
  }

  /** Resolves when all that waits was tried; never rejects. */
  async flush(): Promise<void> {
    // What came while the last write was under way is not in it.
    await this.running;
    this.running ??= this.write().finally(() => {
      this.running = undefined;
    });
    await this.running;
  }

  /** Forgets what waits of a lane, which is read again from where it is folded to. */
  async drop(lane: string): Promise<void> {
    while (this.running) await this.running;
    this.keep(this.waiting.filter((each) => each.lane !== lane));
    this.failed.delete(lane);
  }

  /** Folds what can be folded, and forgets the rest. */
  async end(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.keep([]);
    this.failed.clear();
  }

  private async settle(lane: string): Promise<void> {
    await this.flush();
    if (this.failed.has(lane)) throw this.failed.get(lane);
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const all = this.waiting;
    this.keep([]);
    this.failed.clear();
    const left: Waiting[] = [];
    for (const [lane, some] of byLane(all)) left.push(...(await this.fold(lane, some)));
    this.keep([...left, ...this.waiting]);
    if (left.length > 0) this.timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref();
  }

  /** All at once or, where that fails, one by one up to the one that does; answers what is left. */
  private async fold(lane: string, some: readonly Waiting[]): Promise<readonly Waiting[]> {
    if (await this.folded(lane, some)) return [];
    if (some.length === 1) return some;
    let at = 0;
    while (at < some.length && (await this.folded(lane, [some[at]!]))) at++;
    return some.slice(at);
  }

  private async folded(lane: string, some: readonly Waiting[]): Promise<boolean> {
    try {
      const checkpoint = await this.options.folds.foldAll(
        lane,
        some.map(({ step }) => step),
      );
      failpoint('projection.after-commit');
      this.failed.delete(lane);
      if (checkpoint) this.options.onFolded(lane, checkpoint);
      return true;
    } catch (error) {
      this.failed.set(lane, error);
      if (some.length === 1) this.options.onTrouble(error, some[0]!.step.position);
      return false;
    }
  }

  private keep(waiting: Waiting[]): void {
    this.waiting = waiting;
    this.bytes = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

function byLane(waiting: readonly Waiting[]): Map<string, Waiting[]> {
  const lanes = new Map<string, Waiting[]>();
  for (const each of waiting) {
    const lane = lanes.get(each.lane);
    if (lane) lane.push(each);
    else lanes.set(each.lane, [each]);
  }
  return lanes;
}
