import { RetraceError } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type EventEntry, type EventsOptions, followLog } from './events.js';

const entry = (sequence: number): EventEntry => ({ sequence }) as EventEntry;
const quiet = () => ({ happened: new Promise<void>(() => undefined), forget: () => undefined });

/** A log of these sequences, answered in pages of `limit`; `fails` says which questions get no answer. */
const logOf = (sequences: readonly number[], limit: number, fails: (nth: number) => boolean = () => false) => {
  let nth = 0;
  const asked: { after_sequence?: number }[] = [];
  const call = async (_: unknown, request: { after_sequence?: number }) => {
    asked.push(request);
    if (fails((nth += 1))) throw new RetraceError(nth % 2 ? 'unavailable' : 'timeout', 'away');
    const after = request.after_sequence ?? sequences.length;
    const found = sequences.filter((sequence) => sequence > after).slice(0, limit);
    return { entries: found.map(entry), cursor: found.at(-1) ?? after + 1, more: found.length === limit };
  };
  return { calls: { call } as unknown as Parameters<typeof followLog>[0], asked };
};
const take = async (log: AsyncIterable<EventEntry>, count: number): Promise<number[]> => {
  const taken: number[] = [];
  if (count === 0) return taken;
  for await (const { sequence } of log) if (taken.push(sequence) === count) break;
  return taken;
};
const follow = (log: ReturnType<typeof logOf>, options: EventsOptions = {}) =>
  followLog(log.calls, options, quiet, () => Promise.resolve());

describe('followLog', () => {
  it('gives each entry once, in order, whatever answers were lost', async () => {
    const sequences = fc.uniqueArray(fc.integer({ min: 1, max: 200 })).map((all) => all.toSorted((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(sequences, fc.integer({ min: 1, max: 5 }), fc.nat(4), async (all, limit, lost) => {
        const log = logOf(all, limit, (nth) => nth % 5 < lost);
        expect(await take(follow(log, { after: 0 }), all.length)).toEqual(all);
      }),
    );
  });

  it('tells of an open logical operation once, when it ended, or, where that is asked for, with each part', async () => {
    const lop = 'lop_1';
    const states: EventEntry[][] = [
      [{ sequence: 1, logical_operation_id: lop, open: true }],
      [{ sequence: 3, logical_operation_id: lop, open: true }],
      [
        { sequence: 4, logical_operation_id: 'lop_2', open: false },
        { sequence: 5, logical_operation_id: lop, open: false },
      ],
    ] as EventEntry[][];
    const growing = () => {
      const left = [...states];
      const call = () => {
        const entries = left.shift();
        return entries
          ? Promise.resolve({ entries, cursor: entries.at(-1)!.sequence, more: false })
          : new Promise(() => undefined);
      };
      return { calls: { call } as unknown as Parameters<typeof followLog>[0], asked: [] };
    };
    expect(await take(follow(growing(), { after: 0 }), 2)).toEqual([4, 5]);
    expect(await take(follow(growing(), { after: 0, open: true }), 4)).toEqual([1, 3, 4, 5]);
  });

  it('begins with what is new from the call on, not from the first question', async () => {
    const log = logOf([1, 2, 3], 10);
    follow(log, { filter: { agent: undefined } });
    await Promise.resolve();
    expect(log.asked).toEqual([expect.objectContaining({ limit: 1 })]);
  });

  it('asks again at once when the connection was away, and passes by the lost answer', async () => {
    let asked = 0;
    const call = () => {
      asked += 1;
      return asked === 1
        ? new Promise(() => undefined)
        : Promise.resolve({ entries: [entry(7)], cursor: 7, more: false });
    };
    const reconnects = () => ({
      happened: asked === 1 ? Promise.resolve() : quiet().happened,
      forget: () => undefined,
    });
    const calls = { call } as unknown as Parameters<typeof followLog>[0];
    expect(
      await take(
        followLog(calls, { after: 6 }, reconnects, () => Promise.resolve()),
        1,
      ),
    ).toEqual([7]);
  });

  it('ends with the signal, and passes on what stays refused', async () => {
    const abort = new AbortController();
    const never = { call: () => new Promise(() => undefined) } as unknown as Parameters<typeof followLog>[0];
    const next = followLog(never, { after: 0, signal: abort.signal }, quiet).next();
    abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    const refusing = { call: () => Promise.reject(new RetraceError('not_a_member', 'no member')) };
    const refused = followLog(refusing, { after: 0 }, quiet).next();
    await expect(refused).rejects.toMatchObject({ code: 'not_a_member' });
  });
});
