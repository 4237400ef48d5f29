import { describe, expect, it } from '@jest/globals';
import { type ErrorCode, RetraceError, RollbackIdSchema } from '@retrace/contracts';
import type { PendingAbort } from '../domain/pending-abort.js';
import { lopId } from '../domain/testing/history-builder.js';
import { authorization, planOfFiles } from '../domain/testing/rollback-plans.js';
import { AbortRunner, type AbortWork } from './abort-runner.js';

const { plan } = planOfFiles(1);
const rollbackId = (number: number): string => `rbk_00000000-0000-7000-8000-00000000000${number}`;
const pending = (number: number): PendingAbort => ({
  authorization: { ...authorization, rollback_id: RollbackIdSchema.parse(rollbackId(number)) },
  aborted: lopId(number),
  event_id: `evt ${number}`,
  sequence: number,
  applied: 0,
});

/** Work of which some cannot be planned at first. */
class Work implements AbortWork {
  readonly begun: string[] = [];
  readonly givenUp: { readonly aborted: string; readonly code: ErrorCode; readonly message: string }[] = [];
  private finish: () => void = () => undefined;
  private readonly done = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  constructor(
    private readonly open: PendingAbort[],
    private readonly refusals: Map<string, number> = new Map(),
    private readonly refusal: Error = new Error('not now'),
  ) {}

  waiting(): PendingAbort[] {
    return [...this.open];
  }

  plan({ aborted }: PendingAbort) {
    const left = this.refusals.get(aborted) ?? 0;
    this.refusals.set(aborted, left - 1);
    return left > 0 ? Promise.reject(this.refusal) : Promise.resolve(plan);
  }

  begin(one: PendingAbort): void {
    this.begun.push(one.aborted);
    this.end(one);
  }

  giveUp(one: PendingAbort, refusal: { readonly code: ErrorCode; readonly message: string }): void {
    this.givenUp.push({ aborted: one.aborted, ...refusal });
    this.end(one);
  }

  private end(one: PendingAbort): void {
    this.open.splice(this.open.indexOf(one), 1);
    if (this.open.length === 0) this.finish();
  }

  get allEnded(): Promise<void> {
    return this.done;
  }
}

describe('planning what was aborted', () => {
  it('begins each once, however often it is kicked', async () => {
    const work = new Work([pending(1), pending(2)]);
    const runner = new AbortRunner(work, () => undefined);
    runner.kick();
    runner.kick();
    await work.allEnded;
    await runner.close();
    expect(work.begun).toEqual([lopId(1), lopId(2)]);
  });

  it('tries again what could not be planned, and does not hold up the others', async () => {
    const troubles: string[] = [];
    const work = new Work([pending(1), pending(2)], new Map([[lopId(1), 1]]));
    const runner = new AbortRunner(work, (_, { aborted }) => troubles.push(aborted));
    runner.kick();
    await work.allEnded;
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

  const ended = async (work: Work, retryMs = 0): Promise<number> => {
    let tries = 0;
    const runner = new AbortRunner(work, () => tries++, retryMs);
    runner.kick();
    await work.allEnded;
    await runner.close();
    return tries;
  };
  const always = (error: Error) => new Work([pending(1), pending(2)], new Map([[lopId(1), Infinity]]), error);

  it('gives up at once what can never be planned, says why, and does not hold up the others', async () => {
    const work = always(new RetraceError('reply_too_large', 'more than 100000 operations matter'));
    expect(await ended(work)).toBe(1);
    expect(work.begun).toEqual([lopId(2)]);
    expect(work.givenUp).toMatchObject([
      { aborted: lopId(1), code: 'reply_too_large', message: expect.stringContaining('more than 100000 operations') },
    ]);
  });

  it.each([new RetraceError('internal', 'no'), new TypeError('no')])(
    'gives up what fails again and again: %p',
    async (error) => {
      const work = always(error);
      expect(await ended(work)).toBe(30);
      expect(work.givenUp).toMatchObject([{ aborted: lopId(1), code: 'internal' }]);
    },
  );

  it.each([new RetraceError('unavailable', 'no'), new RetraceError('not_ready', 'no'), new Error('connection lost')])(
    'does not give up what may pass: %p',
    async (error) => {
      const work = new Work([pending(1)], new Map([[lopId(1), 40]]), error);
      expect(await ended(work)).toBe(40);
      expect([work.begun, work.givenUp]).toEqual([[lopId(1)], []]);
    },
  );
});
