import { describe, expect, it } from '@jest/globals';
import type { Touches } from '../domain/touches.js';
import { IntentQueue, type Step } from './intent-queue.js';

interface Item {
  readonly name: string;
  readonly inSequence: number;
  readonly touches: Touches;
  /** Answers per step: a promise to wait for, else the item is decided. */
  readonly waits: { until: Promise<void>; blockMs: number }[];
}

const on = (path: string): Touches => ({ kind: 'paths', session: 's', paths: [path] });
const gate = () => {
  let open!: () => void;
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { until, open };
};
const LONG = 3_600_000;

function queueOfItems() {
  const decided: string[] = [];
  let idle = 0;
  const advance = (item: Item): Promise<Step> => {
    const wait = item.waits.shift();
    if (wait) return Promise.resolve({ kind: 'wait', ...wait });
    decided.push(item.name);
    return Promise.resolve({ kind: 'done' });
  };
  const queue = new IntentQueue<Item>(
    advance,
    () => undefined,
    () => (idle += 1),
  );
  let last = 0;
  const push = (name: string, touches: Touches, ...waits: Item['waits']): void =>
    queue.push({ name, inSequence: (last += 10), touches, waits });
  return { queue, push, decided, idleCount: () => idle };
}

describe('a queue of intents', () => {
  it('decides in order, one at a time', async () => {
    let running = 0;
    const decided: string[] = [];
    const queue = new IntentQueue<Item>(
      async ({ name }) => {
        expect(++running).toBe(1);
        await Promise.resolve();
        running -= 1;
        decided.push(name);
        return { kind: 'done' };
      },
      () => undefined,
      () => undefined,
    );
    for (const name of ['a', 'b', 'c']) queue.push({ name, inSequence: 1, touches: on('same'), waits: [] });
    await queue.settled();
    expect(decided).toEqual(['a', 'b', 'c']);
  });

  it('lets pass what touches nothing in common with one that waits', async () => {
    const { queue, push, decided, idleCount } = queueOfItems();
    const blob = gate();
    push('waits', on('a'), { until: blob.until, blockMs: 0 });
    push('below', on('a/b'));
    push('behind below', on('a/b/c'));
    push('apart', on('z'));
    await queue.settled();
    expect(decided).toEqual(['apart']);
    expect(idleCount()).toBe(0);
    blob.open();
    await blob.until;
    await queue.settled();
    expect(decided).toEqual(['apart', 'waits', 'below', 'behind below']);
    expect(idleCount()).toBe(1);
  });

  it('decides the next one while a decision is on its way to the log, where the two touch nothing in common', async () => {
    const seen: string[] = [];
    const log = gate();
    const ended = log.until.then(() => ({ kind: 'done' }) as const);
    const done: string[] = [];
    const queue = new IntentQueue<Item>(
      ({ name }) => {
        seen.push(name);
        return Promise.resolve(name === 'late' ? { kind: 'done' } : { kind: 'publishing', until: ended });
      },
      ({ name }) => done.push(name),
      () => seen.push('idle'),
    );
    const push = (name: string, path: string): void =>
      queue.push({ name, inSequence: 1, touches: on(path), waits: [] });
    for (const [name, path] of [
      ['a', 'a'],
      ['b', 'b'],
      ['late', 'a/c'],
    ] as const)
      push(name, path);
    const settled = queue.settled().then(() => seen.push('settled'));
    await new Promise((resolve) => setImmediate(resolve));
    expect([seen, done]).toEqual([['a', 'b'], []]);
    log.open();
    await settled;
    expect([seen, done]).toEqual([
      ['a', 'b', 'late', 'idle', 'settled'],
      ['a', 'b', 'late'],
    ]);
  });

  it('lets nothing pass one that blocks, until it is parked', async () => {
    const { queue, push, decided } = queueOfItems();
    const facts = gate();
    push('blocks', on('a'), { until: facts.until, blockMs: LONG });
    push('apart', on('z'));
    await queue.settled();
    expect(decided).toEqual([]);
    facts.open();
    await facts.until;
    await queue.settled();
    expect(decided).toEqual(['blocks', 'apart']);
  });

  it('lets others pass once the time to block is over', async () => {
    const { push, decided } = queueOfItems();
    push('parked', on('a'), { until: new Promise(() => undefined), blockMs: 1 });
    push('below', on('a/b'));
    push('apart', on('z'));
    while (decided.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(decided).toEqual(['apart']);
  });

  it('puts an intent that comes back before those sent after it', async () => {
    const { queue, push, decided } = queueOfItems();
    push('a', on('a'));
    push('b', on('b'));
    queue.push({ name: 'again', inSequence: 1, touches: on('b'), waits: [] });
    await queue.settled();
    expect(decided).toEqual(['again', 'a', 'b']);
  });

  it('decides intents that come back one after another in the order they were sent', async () => {
    const { queue, push, decided } = queueOfItems();
    const facts = gate();
    push('later', on('a'));
    queue.push({ name: 'first', inSequence: 1, touches: on('a'), waits: [{ until: facts.until, blockMs: 0 }] });
    await queue.settled();
    queue.push({ name: 'second', inSequence: 2, touches: on('a'), waits: [] });
    await queue.settled();
    expect(decided).toEqual([]);
    facts.open();
    await facts.until;
    await queue.settled();
    expect(decided).toEqual(['first', 'second', 'later']);
  });

  it('gives up the last ones where all wait, and none that may go on in a moment', async () => {
    const { queue, push, decided } = queueOfItems();
    const never = new Promise<void>(() => undefined);
    const facts = gate();
    push('first', on('a'), { until: facts.until, blockMs: LONG }, { until: never, blockMs: 0 });
    for (const name of ['second', 'third']) push(name, on('a'));
    expect(queue.shed(1)).toEqual([]);
    await queue.settled();
    expect(queue.shed(1)).toEqual([]);
    facts.open();
    await facts.until;
    await queue.settled();
    expect(queue.shed(2).map(({ name }) => name)).toEqual(['third']);
    expect(queue.shed(0).map(({ name }) => name)).toEqual(['second']);
    expect(decided).toEqual([]);
  });

  it('looks at each intent that stays where it is once, however many come behind it', async () => {
    const { queue, push, decided } = queueOfItems();
    let looks = 0;
    const counted = (path: string): Touches => ({
      kind: 'paths',
      session: 's',
      get paths() {
        looks++;
        return [path];
      },
    });
    push('waits', counted('a'), { until: new Promise(() => undefined), blockMs: 0 });
    for (let i = 0; i < 20; i++) push(`below ${i}`, counted('a/b'));
    await queue.settled();
    for (let i = 0; i < 20; i++) {
      push(`later ${i}`, counted('a/c'));
      await queue.settled();
    }
    expect(decided).toEqual([]);
    // Compared with those before it, and added to them.
    expect(looks).toBe(2 * 41);
  });

  it('looks again at an intent that touches something else by now', async () => {
    const { queue, decided } = queueOfItems();
    const item = { name: 'b', inSequence: 2, touches: on('a/b'), waits: [] };
    const never = new Promise<void>(() => undefined);
    queue.push({ name: 'a', inSequence: 1, touches: on('a'), waits: [{ until: never, blockMs: 0 }] });
    queue.push(item);
    await queue.settled();
    expect(decided).toEqual([]);
    item.touches = { kind: 'nothing' };
    queue.wake();
    await queue.settled();
    expect(decided).toEqual(['b']);
  });

  it('decides nothing more once it stopped', async () => {
    const seen: string[] = [];
    const queue = new IntentQueue<Item>(
      ({ name }) => {
        seen.push(name);
        return Promise.resolve({ kind: 'stopped' });
      },
      () => undefined,
      () => undefined,
    );
    queue.push({ name: 'a', inSequence: 1, touches: on('a'), waits: [] });
    await queue.settled();
    queue.push({ name: 'b', inSequence: 2, touches: on('b'), waits: [] });
    await queue.settled();
    expect(seen).toEqual(['a']);
  });
});
