import { describe, expect, it } from '@jest/globals';
import { pathsOverlap } from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import * as fc from 'fast-check';
import { id, MemoryRows, authorized, operation, ready, transfer } from '../domain/testing.js';
import { InflightIndex } from './inflight-index.js';

const rowOf = (number: number, ...requests: Parameters<typeof authorized>[1]) =>
  [...ready, authorized(number, requests)].reduce((rows, event) => rows.with(event), new MemoryRows()).inflight()[0]!;

describe('work in flight', () => {
  it('stands at both ends of a move, under the ids of their records', () => {
    const index = new InflightIndex();
    index.put('ws', 'one', rowOf(1, transfer('move', 'free/a', 'free/b')));
    expect(index.newest('ws', 'free/b')).toMatchObject({ operation_id: id('op', 1), leaves: 'something' });
    expect(index.newest('ws', 'free/a')).toMatchObject({
      operation_id: deriveId('op', id('op', 1), 'source'),
      leaves: 'nothing',
    });
  });

  it('property: reaches what lies at, above or, where it is deep, below a path, until it ends', () => {
    const path = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    const works = fc.array(fc.array(path, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(works, fc.nat(3), path, fc.boolean(), (all, ended, asked, deep) => {
        const index = new InflightIndex();
        const rows = all.map((paths) => rowOf(1, ...paths.map((one, number) => operation('write', one, number))));
        rows.forEach((row, number) => index.put('ws', String(number), row));
        const gone = rows[ended];
        if (gone) index.remove('ws', String(ended), gone);
        const left = all.filter((_, number) => number !== ended).flat();
        const expected = left.some((one) => (deep ? pathsOverlap(one, asked) : `${asked}/`.startsWith(`${one}/`)));
        expect(index.reaches('ws', { path: asked as never, deep })).toBe(expected);
        expect(index.reaches('other', { path: asked as never, deep })).toBe(false);
      }),
    );
  });
});
