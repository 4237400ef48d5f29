import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fact, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import { apply, fact, file, folder, operation, principal } from '../domain/testing.js';
import { Outside } from '../ports/outside.port.js';
import { DEFAULT_TIMINGS } from '../timings.js';
import { HeldIntent } from './held-intent.js';
import { Questions } from './questions.js';

const WS = 'ws' as WorkspaceName;
const path = (name: string) => name as WorkspacePath;

/** Folders hold one file each; what is asked is kept. */
class Asked extends Outside {
  readonly facted: string[] = [];
  readonly walked: string[] = [];

  override facts(_workspace: WorkspaceName, paths: readonly WorkspacePath[]): Promise<Map<string, Fact>> {
    this.facted.push(...paths);
    return Promise.resolve(new Map(paths.map((one) => [one, fact(one, one.startsWith('d') ? folder() : file())])));
  }

  override tree(_workspace: WorkspaceName, root: WorkspacePath): Promise<Fact[]> {
    this.walked.push(root);
    return Promise.resolve([fact(root, folder()), fact(`${root}/f`, file())]);
  }

  override content = () => Promise.reject(new Error('not asked'));
  /** How long the blob store is asked to wait; the first one asked dies with the question. */
  readonly waits: number[] = [];
  override missing = (_: unknown, __: unknown, ___: unknown, waitMs: number) => {
    this.waits.push(waitMs);
    return this.waits.length === 1 ? Promise.reject(new Error('no answer')) : Promise.resolve([]);
  };
  override plan = () => Promise.reject(new Error('not asked'));
}

describe('questions to other services', () => {
  let outside: Asked;
  let questions: Questions;
  let held: HeldIntent;
  beforeEach(() => {
    outside = new Asked();
    const work = { quiet: () => Promise.resolve(true), outcomes: () => Promise.resolve(true) };
    questions = new Questions(outside, work, DEFAULT_TIMINGS, new AbortController().signal);
    const sender = { workspace: WS, principal: principal('writer') };
    held = HeldIntent.arrived(sender, { kind: 'intent', intent: apply([operation('write', 'a')]) }, 1);
  });

  it('a content is asked for a short while at a time: who dies takes the question along, not the intent', async () => {
    const { isLookedFor, looked, here } = questions.content(held, []);
    expect(isLookedFor()).toBe(false);
    await looked;
    expect([isLookedFor(), held.findings.blobs]).toEqual([true, undefined]);
    await here;
    held.release();
    expect(held.findings.blobs).toEqual({ missing: [] });
    expect(outside.waits).toHaveLength(2);
    expect(Math.max(...outside.waits)).toBeLessThanOrEqual(2_000);
  });

  it('what lies at and below paths is asked for once, as far as any of the operations reaches', async () => {
    const reaches = [
      { path: path('d1'), deep: false },
      { path: path('d1'), deep: true },
      { path: path('a'), deep: true },
      { path: path('d1'), deep: true },
      { path: path('d2'), deep: false },
      { path: path('a'), deep: false },
    ];
    await questions.trees(held, reaches);
    held.release();
    expect([outside.facted.toSorted(), outside.walked]).toEqual([['a', 'd1', 'd2'], ['d1']]);
    const { trees } = held.findings;
    expect(typeof trees === 'object' && Object.fromEntries(trees)).toMatchObject({
      d1: { deep: true, facts: [{ path: 'd1' }, { path: 'd1/f' }] },
      d2: { deep: false, facts: [{ path: 'd2' }] },
      a: { facts: [{ path: 'a' }] },
    });
  });
});
