import { describe, expect, it } from '@jest/globals';
import type { PendingAbort } from '../domain/pending-abort.js';
import { lopId } from '../domain/testing/history-builder.js';
import { authorization, planOfFiles } from '../domain/testing/rollback-plans.js';
import { AbortRunner, type AbortWork } from './abort-runner.js';

const { plan } = planOfFiles(1);
const pending = (number: number): PendingAbort => ({
  authorization,
  aborted: lopId(number),
  event_id: `evt ${number}`,
  sequence: number,
  applied: 0,
});

/** Work of which some cannot be planned at first. */
class Work implements AbortWork {
  readonly begun: string[] = [];
  private finish: () => void = () => undefined;
  private readonly done = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  constructor(
    private readonly open: PendingAbort[],
    private readonly refusals: Map<string, number> = new Map(),
  ) {}

  waiting(): PendingAbort[] {
    return [...this.open];
  }

  plan({ aborted }: PendingAbort) {
    const left = this.refusals.get(aborted) ?? 0;
    this.refusals.set(aborted, left - 1);
    return left > 0 ? Promise.reject(new Error('not now')) : Promise.resolve(plan);
  }

  begin(one: PendingAbort): void {
    this.begun.push(one.aborted);
    this.open.splice(this.open.indexOf(one), 1);
    if (this.open.length === 0) this.finish();
  }

  get allBegun(): Promise<void> {
    return this.done;
  }
}

describe('planning what was aborted', () => {
  it('begins each once, however often it is kicked', async () => {
    const work = new Work([pending(1), pending(2)]);
    const runner = new AbortRunner(work, () => undefined);
    runner.kick();
    runner.kick();
    await work.allBegun;
    await runner.close();
    expect(work.begun).toEqual([lopId(1), lopId(2)]);
  });

  it('tries again what could not be planned, and does not hold up the others', async () => {
    const troubles: string[] = [];
    const work = new Work([pending(1), pending(2)], new Map([[lopId(1), 1]]));
    const runner = new AbortRunner(work, (_, { aborted }) => troubles.push(aborted));
    runner.kick();
    await work.allBegun;
    await runner.close();
    expect(work.begun).toEqual([lopId(2), lopId(1)]);
    expect(troubles).toEqual([lopId(1)]);
  });

  it('ends when it is closed; what is left waits for the next start', async () => {
    const work = new Work([pending(1)], new Map([[lopId(1), 99]]));
    const runner = new AbortRunner(work, () => undefined);
    runner.kick();
    await runner.close();
    expect(work.waiting()).toHaveLength(1);
  });
});
