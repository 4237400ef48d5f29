import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CallOrder } from './call-order.js';

describe('CallOrder', () => {
  it('sends at once what nothing is before', () => {
    const sent: string[] = [];
    void new CallOrder().run(undefined, () => Promise.resolve(sent.push('a')));
    expect(sent).toEqual(['a']);
  });

  it('sends in the order of the calls, whatever takes how long and fails', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ turns: fc.option(fc.nat(5), { nil: undefined }), fails: fc.boolean() }), {
          maxLength: 20,
        }),
        async (calls) => {
          const order = new CallOrder();
          const sent: number[] = [];
          const outcomes = calls.map(({ turns, fails }, index) => {
            const prepare = async (): Promise<void> => {
              for (let turn = 0; turn < turns!; turn += 1) await Promise.resolve();
              if (fails) throw new Error(`${index}`);
            };
            return order.run(turns === undefined ? undefined : prepare, async () => sent.push(index));
          });
          const ends = await Promise.allSettled(outcomes);
          const failed = calls.map(({ turns, fails }) => turns !== undefined && fails);
          expect(sent).toEqual([...calls.keys()].filter((index) => !failed[index]));
          expect(ends.map(({ status }) => status === 'rejected')).toEqual(failed);
        },
      ),
    );
  });

  it('does not wait for the outcome of one call before it sends the next', async () => {
    const order = new CallOrder();
    const sent: string[] = [];
    const never = new Promise<void>(() => undefined);
    void order.run(
      () => Promise.resolve(),
      () => (sent.push('a'), never),
    );
    await order.run(undefined, async () => sent.push('b'));
    expect(sent).toEqual(['a', 'b']);
  });
});
