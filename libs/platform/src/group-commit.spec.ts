import { describe, expect, it } from '@jest/globals';
import { GroupCommit } from './group-commit.js';

/** Rows that a transaction keeps whole or not at all. */
const memory = () => {
  const state = { rows: [] as string[], transactions: 0 };
  const transaction = (work: () => void): void => {
    const before = [...state.rows];
    state.transactions += 1;
    try {
      work();
    } catch (error) {
      state.rows = before;
      throw error;
    }
  };
  return { state, group: new GroupCommit(transaction) };
};

describe('a group commit', () => {
  it('does what came within one turn in one transaction, in its order', async () => {
    const { state, group } = memory();
    await Promise.all(['a', 'b', 'c'].map((row) => group.commit(() => void state.rows.push(row))));
    expect(state).toEqual({ rows: ['a', 'b', 'c'], transactions: 1 });
  });

  it('keeps the others when one cannot be done, and tells that one alone', async () => {
    const { state, group } = memory();
    const bad = (): void => {
      state.rows.push('half');
      throw new Error('no such row');
    };
    const ended = await Promise.allSettled([
      group.commit(() => void state.rows.push('a')),
      group.commit(bad),
      group.commit(() => void state.rows.push('c')),
    ]);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(state.rows).toEqual(['a', 'c']);
  });

  it('tells nobody before it is committed, and commits at once where that is asked for', async () => {
    const { state, group } = memory();
    let told = false;
    const committed = group.commit(() => void state.rows.push('a')).then(() => (told = true));
    await Promise.resolve();
    expect([told, state.rows]).toEqual([false, []]);
    group.flush();
    expect(state.rows).toEqual(['a']);
    await committed;
  });

  it('waits for a transaction that ends later, and tells each whether it was kept', async () => {
    const rows: string[] = [];
    const transaction = async (work: () => void): Promise<void> => {
      await Promise.resolve();
      const before = [...rows];
      work();
      if (!rows.includes('bad')) return;
      rows.splice(0, rows.length, ...before);
      throw new Error('no such row');
    };
    const group = new GroupCommit(transaction);
    const ended = await Promise.allSettled(['a', 'bad', 'c'].map((row) => group.commit(() => void rows.push(row))));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(rows).toEqual(['a', 'c']);
  });

  it('lets what comes within its wait share a transaction, whatever the turn', async () => {
    const { state } = memory();
    let transactions = 0;
    const group = new GroupCommit((work) => {
      transactions += 1;
      work();
    }, 60_000);
    const first = group.commit(() => void state.rows.push('a'));
    await new Promise(setImmediate);
    const second = group.commit(() => void state.rows.push('b'));
    await new Promise(setImmediate);
    expect(state.rows).toEqual([]);
    group.flush();
    await Promise.all([first, second]);
    expect([state.rows, transactions]).toEqual([['a', 'b'], 1]);
  });
});
