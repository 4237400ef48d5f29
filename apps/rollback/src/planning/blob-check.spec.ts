import { beforeEach, describe, expect, it } from '@jest/globals';
import { type BlobHash, BlobHashSchema, type WorkspaceName } from '@retrace/contracts';
import { context } from '../domain/testing/history-builder.js';
import type { WorkspaceFacts } from '../ports/workspace-facts.port.js';
import { BlobCheck } from './blob-check.js';

const hash = (sign: string): BlobHash => BlobHashSchema.parse(sign.repeat(64));
const no = (): Promise<never> => Promise.reject(new Error('not asked for'));

/** A store that says of each content how often it was asked for. */
class Store implements Pick<WorkspaceFacts, 'missing'> {
  readonly asked = new Map<BlobHash, number>();
  readonly facts = no;
  readonly listings = no;

  constructor(private readonly isMissing: (times: number) => boolean) {}

  missing(_: WorkspaceName, hashes: readonly BlobHash[]): Promise<BlobHash[]> {
    return Promise.resolve(
      hashes.filter((each) => {
        const times = (this.asked.get(each) ?? 0) + 1;
        this.asked.set(each, times);
        return this.isMissing(times);
      }),
    );
  }
}

describe('looking for contents', () => {
  let lost: BlobHash[];
  beforeEach(() => {
    lost = Array.from('abcdef', hash);
  });

  it('waits once for all of one plan: what comes to light later was on its way all the time', async () => {
    const store = new Store(() => true);
    const check = new BlobCheck(context.workspace, store, 150);
    for (const each of lost) expect(await check.look([each])).toBe(true);
    const [first, ...later] = lost.map((each) => store.asked.get(each));
    expect(first).toBeGreaterThan(1);
    expect(later).toEqual(later.map(() => 1));
    expect([...check.lost]).toEqual(lost);
    expect(await check.look(lost)).toBe(false);
  });

  it('finds what comes while it waits', async () => {
    const store = new Store((times) => times < 3);
    const check = new BlobCheck(context.workspace, store, 60_000);
    expect(await check.look(lost)).toBe(false);
    expect(check.lost.size).toBe(0);
  });
});
