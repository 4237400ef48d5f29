import { describe, expect, it } from '@jest/globals';
import type { LogEnds } from '../ports/log-ends.port.js';
import { FoldGate } from './fold-gate.js';
import type { PolicyState } from './policy-state.js';

/** A fold that moves when it is told to. */
class Fold {
  at = 0;
  where: { sequence: number; eventId: string } | undefined;
  position = () => this.where;
  private readonly waiters = new Set<() => void>();

  folded = async (_lane: string, sequence: number, signal?: AbortSignal): Promise<void> => {
    while (this.at < sequence) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.waiters.add(resolve);
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  };

  to(sequence: number): void {
    this.at = sequence;
    for (const wake of this.waiters) wake();
  }
}

const gateOver = (ends: (() => Promise<number>)[]) => {
  const fold = new Fold();
  const stop = new AbortController();
  const standing = new Set(['stands']);
  const log: LogEnds = {
    newest: () => (ends.shift() ?? (() => Promise.resolve(0)))(),
    stands: ({ eventId }) => Promise.resolve(standing.has(eventId)),
  };
  return { fold, stop, standing, gate: new FoldGate(fold as unknown as PolicyState, log, stop.signal) };
};
const end = (sequence: number) => () => Promise.resolve(sequence);

describe('the gate before a lane', () => {
  it('opens once the fold is where the log ended', async () => {
    const { fold, gate } = gateOver([end(5)]);
    expect(gate.isOpen('1')).toBe(true);
    gate.close('1');
    const opened = gate.open('1');
    fold.to(4);
    expect(gate.isOpen('1')).toBe(false);
    fold.to(5);
    await opened;
    expect(gate.isOpen('1')).toBe(true);
  });

  it('waits for the end of a log that went back, not for the lost one', async () => {
    const { fold, gate } = gateOver([end(100), end(50)]);
    gate.close('1');
    const opened = gate.open('1');
    await new Promise((resolve) => setImmediate(resolve));
    gate.close('1');
    fold.to(50);
    await opened;
    expect(gate.isOpen('1')).toBe(true);
  });

  it('stays closed over a fold that the log does not hold any more, until the lane went back', async () => {
    const { fold, gate } = gateOver([end(0)]);
    fold.where = { sequence: 7, eventId: 'lost' };
    gate.close('1');
    const opened = gate.open('1');
    await new Promise((resolve) => setImmediate(resolve));
    expect(gate.isOpen('1')).toBe(false);
    fold.where = undefined;
    gate.close('1');
    await opened;
    fold.where = { sequence: 7, eventId: 'stands' };
    gate.close('1');
    await gate.open('1');
    expect(gate.isOpen('1')).toBe(true);
  });

  it('opens over a fold that the log holds again', async () => {
    const { fold, standing, gate } = gateOver([end(7)]);
    fold.where = { sequence: 7, eventId: 'put back' };
    fold.to(7);
    gate.close('1');
    const opened = gate.open('1');
    await new Promise((resolve) => setImmediate(resolve));
    expect(gate.isOpen('1')).toBe(false);
    standing.add('put back');
    await opened;
    expect(gate.isOpen('1')).toBe(true);
  });

  it('stays closed while nobody says where the log ends', async () => {
    const { gate } = gateOver([() => Promise.reject(new Error('no answer')), end(0)]);
    gate.close('1');
    expect(gate.isOpen('1')).toBe(false);
    await gate.open('1');
    expect(gate.isOpen('1')).toBe(true);
  });

  it('rejects when the service stops', async () => {
    const { stop, gate } = gateOver([end(5)]);
    gate.close('1');
    const opened = gate.open('1');
    stop.abort(new Error('stopping'));
    await expect(opened).rejects.toThrow('stopping');
  });
});
