import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuthorizedOperation } from '@retrace/contracts';
import { MemoryEventLog } from '@retrace/event-log/testing';
import type { Authority } from '../domain/authority.js';
import { authorize, WORKSPACE } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';

let x: ExecutionFixture;
/** Records that each transaction before the disk took in. */
let groups: number[];
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
  groups = [];
  const prepare = x.store.prepare.bind(x.store);
  x.store.prepare = (prepared) => {
    groups.push(prepared.length);
    return prepare(prepared);
  };
});
afterEach(() => x.dispose());

const take = (authority: Authority, signal?: AbortSignal): Promise<void> =>
  x.executor.take(authority, { sequence: authority.sequence, eventId: authority.eventId }, signal);

/** Hands over one logical operation for each, at once; answers how they ended, in the order of the log. */
async function together(...each: readonly (readonly AuthorizedOperation[])[]): Promise<string[]> {
  const authorities: Authority[] = [];
  for (const operations of each) authorities.push(await authorize(x.log, operations));
  await x.executeAll(authorities);
  await x.idle();
  const outcomes = await x.outcomes();
  expect(outcomes.map(({ causationid }) => causationid)).toEqual(authorities.map(({ eventId }) => eventId));
  expect(x.store.positions.load(WORKSPACE)?.sequence).toBe(authorities.at(-1)!.sequence);
  return outcomes.map(({ type }) => type.split('.')[2]!);
}

describe('what was handed over at once', () => {
  it('is prepared in one transaction where it has nothing in common, and ends in its order', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `f${i}`);
    const ends = await together(...names.map((name) => [x.to.create(name, name)]));
    expect(ends).toEqual(names.map(() => 'applied'));
    expect(groups).toEqual([30]);
    expect(names.map((name) => x.folder.text(name))).toEqual(names);
  });

  it('waits where a path was changed before, or a folder above it or an entry below it is', async () => {
    const { create, mkdir, edit, remove, rmdir, move } = x.to;
    const ends = await together(
      [mkdir('d')],
      [create('d/a', '1')],
      [create('b', 'B')],
      [edit('d/a', [{ old_text: '1', new_text: '2' }])],
      [move('d/a', 'e')],
      [rmdir('d')],
      [remove('e')],
    );
    expect(ends).toEqual(Array.from({ length: 7 }, () => 'applied'));
    expect(groups).toEqual([1, 2, 1, 1, 1, 1]);
    expect(Object.keys(x.folder.tree())).toEqual(['b']);
  });

  it('goes on behind one that is refused, in its order', async () => {
    x.folder.put('there', 'by somebody');
    const ends = await together([x.to.create('a', 'A')], [x.to.create('there', 'mine')], [x.to.create('c', 'C')]);
    expect(ends).toEqual(['applied', 'failed', 'applied']);
    expect([x.folder.text('a'), x.folder.text('there'), x.folder.text('c')]).toEqual(['A', 'by somebody', 'C']);
  });

  it('is told one by one how it ends where somebody is in the way of the last', async () => {
    const last = x.to.create('b', 'B');
    x.blobs.onGet = () => setImmediate(() => x.folder.put('b', 'by somebody'));
    expect(await together([x.to.create('a', 'A')], [last])).toEqual(['applied', 'failed']);
    expect([x.folder.text('a'), x.folder.text('b')]).toEqual(['A', 'by somebody']);
  });

  it('does not share a file that has two names', async () => {
    x.folder.put('one', 'old');
    (await import('node:fs')).linkSync(x.folder.full('one'), x.folder.full('two'));
    expect(await together([x.to.create('a', 'A')], [x.to.write('one', '1')], [x.to.create('c', 'C')])).toEqual(
      Array.from({ length: 3 }, () => 'applied'),
    );
    expect([groups, x.folder.text('two')]).toEqual([[1, 1, 1], '1']);
  });

  it('is done once where it is handed over twice', async () => {
    const authority = await authorize(x.log, [x.to.create('a', 'A')]);
    for (let i = 0; i < 3; i++) await take(authority);
    await x.executor.drained();
    await x.executor.untilKnown('all');
    expect((await x.outcomes()).map(({ type }) => type)).toEqual(['retrace.operation.applied.v1']);
  });

  it('is tried again, in its order, while the blob store is away', async () => {
    x.blobs.down = true;
    const again = setInterval(() => (x.blobs.down = false), 120);
    expect(await together([x.to.create('a', 'A')], [x.to.create('b', 'B')])).toEqual(['applied', 'applied']);
    clearInterval(again);
  });

  it('is given up, with all behind it, where the reader goes back', async () => {
    const reader = new AbortController();
    x.blobs.down = true;
    const authorities = [
      await authorize(x.log, [x.to.create('a', 'A')]),
      await authorize(x.log, [x.to.create('b', 'B')]),
    ];
    for (const authority of authorities) await take(authority, reader.signal);
    setTimeout(() => reader.abort(), 20);
    await x.executor.drained();
    expect([x.folder.tree(), x.store.positions.load(WORKSPACE), await x.outcomes()]).toEqual([{}, undefined, []]);
    x.blobs.down = false;
    for (const authority of authorities) await take(authority);
    await x.executor.drained();
    expect(Object.keys(x.folder.tree())).toEqual(['a', 'b']);
  });
});
