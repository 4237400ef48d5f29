import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BlobHash, BlobHashSchema, PrincipalSchema } from '@retrace/contracts';
import { LmdbPositions, openEnvironment } from '@retrace/event-log';
import { appliedBy, moveOf, recordOf } from './applied.testing.js';
import { SeenContents } from './seen-contents.js';

const [writer, operator] = ['writer', '_op-me'].map((name) => PrincipalSchema.parse(name)) as [never, never];
const hash = BlobHashSchema.parse('1'.repeat(64));
const position = (sequence: number) => ({ sequence, eventId: `evt_${sequence}` as never });
const created = (agent: string, path = 'a') => appliedBy(agent, [recordOf('create', path, [undefined, hash])]);
const deleted = (agent: string) => appliedBy(agent, [recordOf('delete', 'a', [hash, undefined])]);

describe('whose history a content belongs to', () => {
  let folder: string;
  let seen: SeenContents;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-seen-'));
    seen = SeenContents.open(folder, 'process', 0);
  });
  afterEach(async () => {
    await seen.close();
    rmSync(folder, { recursive: true });
  });

  async function pathsOf(principal: never, of: BlobHash = hash): Promise<string[][]> {
    const told: string[][] = [];
    for await (const places of seen.places(principal, of)) told.push(places.map(({ path }) => path));
    return told;
  }

  it.each([
    ['what was created', created],
    ['what was deleted', deleted],
  ])('is kept over a restart: %s', async (_, event) => {
    seen.fold(event(writer), '1', position(3));
    await seen.close();
    seen = SeenContents.open(folder, 'process', 0);
    expect([await pathsOf(writer), seen.positions.load('1')?.sequence]).toEqual([[['a']], 3]);
  });

  it('is nobody else’s, and of operators nothing is kept', async () => {
    seen.fold(created(operator), '1', position(3));
    expect([await pathsOf(operator), await pathsOf(writer)]).toEqual([[], []]);
    expect(seen.positions.load('1')?.sequence).toBe(3);
  });

  it('knows of a content what earlier events and operations told', async () => {
    seen.fold(appliedBy(writer, moveOf('secret', 'b', hash)), '1', position(3));
    seen.fold(appliedBy(writer, moveOf('b', 'c', hash)), '1', position(4));
    for await (const places of seen.places(writer, hash))
      expect(places.map(({ path, sources }) => [path, sources])).toEqual([
        ['secret', []],
        ['b', ['secret']],
        ['c', ['secret', 'b']],
      ]);
  });

  it('folds the same event again and keeps what it had', async () => {
    for (const sequence of [3, 3]) seen.fold(created(writer), '1', position(sequence));
    expect(await pathsOf(writer)).toEqual([['a']]);
  });

  it('is waited for, for a moment, and so are other places', async () => {
    await seen.close();
    seen = SeenContents.open(folder, 'process', 60_000);
    const asked = seen.places(writer, hash);
    const first = asked.next();
    seen.fold(created(writer), '1', position(3));
    expect((await first).value).toMatchObject([{ path: 'a' }]);
    const second = asked.next();
    seen.fold(created(writer, 'b'), '1', position(4));
    expect((await second).value).toMatchObject([{ path: 'a' }, { path: 'b' }]);
  });

  it('is not waited for once the service ends', async () => {
    await seen.close();
    seen = SeenContents.open(folder, 'process', 60_000);
    const asked = pathsOf(writer);
    await seen.close();
    expect(await asked).toEqual([]);
  });

  it('is read from the log again where an earlier version kept no paths', async () => {
    await seen.close();
    const root = openEnvironment(folder, 'seen', 'process');
    await root.openDB({ name: 'seen' }).put([writer, hash], true);
    new LmdbPositions(root.openDB({ name: 'positions' })).advance('1', position(9));
    await root.close();
    seen = SeenContents.open(folder, 'process', 0);
    expect([await pathsOf(writer), seen.positions.load('1')]).toEqual([[], undefined]);
  });
});
