import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BlobHash,
  BlobHashSchema,
  type OperationRecord,
  type Principal,
  PrincipalSchema,
  RetraceError,
} from '@retrace/contracts';
import { appliedBy, moveOf, recordOf } from '../seen/applied.testing.js';
import { MOST_SOURCES } from '../seen/place.js';
import { SeenContents } from '../seen/seen-contents.js';
import { BlobReaders } from './blob-readers.js';

const hashOf = (digit: string): BlobHash => BlobHashSchema.parse(digit.repeat(64));
const [secret, left, other] = [hashOf('1'), hashOf('2'), hashOf('3')];
const [pat, sam, operator] = ['pat', 'sam', '_op-me'].map((name) => PrincipalSchema.parse(name)) as [
  Principal,
  Principal,
  Principal,
];

describe('who is given a content', () => {
  let folder: string;
  let seen: SeenContents;
  let readers: BlobReaders;
  let unreadable: Set<string>;
  let uploaded: Set<string>;
  let asked: string[];
  let answers: boolean;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-readers-'));
    seen = SeenContents.open(folder, 'process', 0);
    unreadable = new Set(['.env']);
    uploaded = new Set();
    asked = [];
    answers = true;
    readers = new BlobReaders({ has: (principal, hash) => uploaded.has(`${principal} ${hash}`) }, seen, {
      judge: async (_, agent, path) => {
        asked.push(path);
        if (!answers) throw new RetraceError('unavailable', 'policy does not say');
        return unreadable.has(path)
          ? { allowed: false, message: `rule secrets denies ${agent} to read ${path}` }
          : { allowed: true, message: '' };
      },
    });
  });
  afterEach(async () => {
    await seen.close();
    rmSync(folder, { recursive: true });
  });

  let sequence = 1;
  const did = (agent: Principal, operations: readonly OperationRecord[]): void =>
    seen.fold(appliedBy(agent, operations), '1', { sequence: (sequence += 1), eventId: `evt_${sequence}` as never });

  /** `given`, or the code of the refusal. */
  const outcome = (principal: Principal | undefined, hash: BlobHash): Promise<string> =>
    readers.require(principal, hash).then(
      () => 'given',
      (error: unknown) => (error as RetraceError).code,
    );

  const changes: [string, (path: string) => OperationRecord[], BlobHash[]][] = [
    ['rm', (path) => [recordOf('delete', path, [secret, undefined])], [secret]],
    ['write over', (path) => [recordOf('write', path, [secret, left])], [secret, left]],
    ['append', (path) => [recordOf('append', path, [secret, left])], [secret, left]],
    ['edit', (path) => [recordOf('edit', path, [secret, left])], [secret, left]],
    ['chmod', (path) => [recordOf('chmod', path, [secret, secret])], [secret]],
    ['move away', (path) => moveOf(path, 'open.txt', secret), [secret]],
    ['move over', (path) => moveOf('open.txt', path, left, secret), [secret]],
    ['copy', (path) => [recordOf('copy', 'open.txt', [undefined, secret], { copied_from: path })], [secret]],
    ['undo', (path) => [recordOf('restore', path, [secret, left])], [secret, left]],
  ];

  describe.each(changes)('given a file that an agent changed: %s', (_, operations, contents) => {
    const outcomes = (principal: Principal | undefined) =>
      Promise.all(contents.map((hash) => outcome(principal, hash)));
    const all = (what: string) => contents.map(() => what);

    it('when it may not read the path, then it is refused', async () => {
      did(pat, operations('.env'));
      expect(await outcomes(pat)).toEqual(all('blob_forbidden'));
    });

    it('when it may read the path, then it is given', async () => {
      did(pat, operations('notes.md'));
      expect(await outcomes(pat)).toEqual(all('given'));
    });

    it('when another asks, then it is refused, and policy is not troubled', async () => {
      did(pat, operations('notes.md'));
      expect([await outcomes(sam), asked]).toEqual([all('blob_forbidden'), []]);
    });

    it('when operators and services ask, then they are given', async () => {
      did(pat, operations('.env'));
      expect([await outcomes(operator), await outcomes(undefined), asked]).toEqual([all('given'), all('given'), []]);
    });

    it('when policy has changed since, then the new rule counts', async () => {
      did(pat, operations('notes.md'));
      unreadable = new Set(['notes.md']);
      expect(await outcomes(pat)).toEqual(all('blob_forbidden'));
      unreadable = new Set();
      expect(await outcomes(pat)).toEqual(all('given'));
    });

    it('when policy does not answer, then nobody can say', async () => {
      did(pat, operations('notes.md'));
      answers = false;
      expect(await outcomes(pat)).toEqual(all('unavailable'));
    });
  });

  it('given what it uploaded itself, then it is given, whatever the rules', async () => {
    uploaded.add(`${pat} ${left}`);
    did(pat, [recordOf('write', '.env', [secret, left])]);
    expect([await outcome(pat, left), await outcome(pat, secret)]).toEqual(['given', 'blob_forbidden']);
  });

  it('given two places, then one that may be read is enough', async () => {
    did(pat, [recordOf('delete', 'notes.md', [secret, undefined]), recordOf('delete', '.env', [secret, undefined])]);
    expect(await outcome(pat, secret)).toBe('given');
  });

  it('given a file that was moved from where it may not be read, then nothing that is done to it there helps', async () => {
    did(pat, [
      ...moveOf('.env', 'open.txt', secret),
      recordOf('chmod', 'open.txt', [secret, secret]),
      recordOf('append', 'open.txt', [secret, left]),
      ...moveOf('open.txt', 'more.txt', left),
      recordOf('edit', 'more.txt', [left, other]),
      recordOf('delete', 'more.txt', [other, undefined]),
    ]);
    for (const hash of [secret, left, other]) expect(await outcome(pat, hash)).toBe('blob_forbidden');
    unreadable = new Set();
    for (const hash of [secret, left, other]) expect(await outcome(pat, hash)).toBe('given');
  });

  it('given a file that was moved out of sight, then no move on the way back helps', async () => {
    const names = ['.env', ...Array.from({ length: MOST_SOURCES + 5 }, (_, i) => `f${i}`)];
    for (const [i, to] of names.slice(1).entries()) did(pat, moveOf(names[i]!, to, secret));
    did(pat, [recordOf('append', names.at(-1)!, [secret, left])]);
    expect([await outcome(pat, secret), await outcome(pat, left)]).toEqual(['blob_forbidden', 'blob_forbidden']);
  });

  it('given a refusal, then it names the content, the path, the rule', async () => {
    did(pat, [recordOf('delete', '.env', [secret, undefined])]);
    await expect(readers.require(pat, secret)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`${secret}.*in docs, rule secrets denies pat to read \\.env`)),
    });
  });

  it('given many places on one way, then policy is asked once about each path', async () => {
    did(pat, [...moveOf('.env', 'b', secret), ...moveOf('b', 'c', secret), ...moveOf('c', 'd', secret)]);
    await outcome(pat, secret);
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
  });
});
