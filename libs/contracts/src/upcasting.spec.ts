import { describe, expect, it } from '@jest/globals';
import { upcast, type Upcaster } from './upcasting.js';

type V1 = { name: string };
type V2 = { first: string };

const CHAIN: ReadonlyMap<string, Upcaster> = new Map<string, Upcaster>([
  ['t.v1', (data: unknown) => ({ type: 't.v2', data: { first: (data as V1).name } })],
  ['t.v2', (data: unknown) => ({ type: 'renamed.v3', data: { given: (data as V2).first, added: true } })],
]);

describe('upcast', () => {
  it('lifts the oldest version through all later ones', () => {
    expect(upcast('t.v1', { name: 'Ada' }, CHAIN)).toEqual({ type: 'renamed.v3', data: { given: 'Ada', added: true } });
  });

  it('enters the chain where the version stands', () => {
    expect(upcast('t.v2', { first: 'Ada' }, CHAIN).data).toEqual({ given: 'Ada', added: true });
  });

  it('leaves the newest version, and what it does not know, as it is', () => {
    const data = { any: 'thing' };
    expect(upcast('renamed.v3', data, CHAIN)).toEqual({ type: 'renamed.v3', data });
    expect(upcast('other.v1', data, CHAIN).data).toBe(data);
    expect(upcast('t.v1', data)).toEqual({ type: 't.v1', data });
  });

  it('does not change what was stored', () => {
    const stored = Object.freeze({ name: 'Ada' });
    upcast('t.v1', stored, CHAIN);
    expect(stored).toEqual({ name: 'Ada' });
  });
});
