import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BlobHash } from '@retrace/contracts';
import { transformFile } from '@swc/core';
import type { BlobError } from '../../blob-errors.js';
import type { Durability } from './durability.js';
import { HotBlobStore } from './hot-blob-store.js';

const SOURCE = fileURLToPath(new URL('../../', import.meta.url));
const CHILD = fileURLToPath(new URL('../../../test-support/crash-child.mjs', import.meta.url));
const ROUNDS = [1, 40, 200];

describe('HotBlobStore whose process is killed', () => {
  let bench: string;
  beforeAll(async () => {
    bench = await mkdtemp(join(tmpdir(), 'blob-crash-'));
    await transpileInto(join(bench, 'module'));
  });
  afterAll(() => rm(bench, { recursive: true, force: true }));

  it.each<Durability>(['process', 'power'])(
    'keeps what it acknowledged and shows nothing half (%s)',
    async (durability) => {
      const folder = join(bench, durability);
      const tried = new Map<string, number>();
      const acknowledged = new Set<string>();
      for (const kill of ROUNDS) {
        await crash(join(bench, 'module'), folder, durability, kill, tried, acknowledged);
        await expectWhole(folder, durability, tried, acknowledged);
      }
      expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS.reduce((sum, round) => sum + round, 0));
    },
    120_000,
  );
});

/** Runs a child until it has acknowledged `kill` blobs, kills it, and takes in all that it said. */
async function crash(
  module: string,
  folder: string,
  durability: Durability,
  kill: number,
  tried: Map<string, number>,
  acknowledged: Set<string>,
): Promise<void> {
  const store = pathToFileURL(join(module, 'adapters/lmdb-files/hot-blob-store.js')).href;
  const child = spawn(process.execPath, [CHILD, store, folder, durability, `round ${kill}`], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let heard = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [verb, hash = '', size] = line.split(' ');
    if (verb === 'try') tried.set(hash, Number(size));
    // A last line cut short by the kill is no acknowledgement.
    if (verb === 'ack' && tried.get(hash) === Number(size)) {
      acknowledged.add(hash);
      heard += 1;
    }
    if (heard === kill) child.kill('SIGKILL');
  }
  expect(heard).toBeGreaterThanOrEqual(kill);
}

async function expectWhole(
  folder: string,
  durability: Durability,
  tried: Map<string, number>,
  acknowledged: Set<string>,
): Promise<void> {
  const store = await HotBlobStore.open({ folder, durability });
  const found = new Map<string, string>();
  for (const [hash, size] of tried) found.set(hash, await stateOf(store, hash as BlobHash, size));
  const whole = [...found.keys()].filter((hash) => found.get(hash) === 'whole');
  expect([...found.values()].filter((state) => state !== 'whole' && state !== 'absent')).toEqual([]);
  expect([...acknowledged].filter((hash) => found.get(hash) !== 'whole')).toEqual([]);
  expect((await store.stats()).blobs).toBe(whole.length);
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  await store.close();
}

/** Tells whether a blob is whole (its hash is verified by `readAll`), absent by every method, or anything else. */
async function stateOf(store: HotBlobStore, hash: BlobHash, size: number): Promise<string> {
  const recorded = await store.size(hash);
  const length = await store.readAll(hash).then(
    (content) => content.length,
    (error: unknown) => (error as BlobError).code,
  );
  if (length === 'blob_absent' && recorded === undefined) return 'absent';
  return length === size && recorded === size ? 'whole' : `${recorded} recorded, ${length} read`;
}

/** The child runs outside jest, so it needs JavaScript, in a folder from which `lmdb` resolves. */
async function transpileInto(folder: string): Promise<void> {
  const names = await readdir(SOURCE, { recursive: true });
  for (const name of names.filter((found) => found.endsWith('.ts') && !found.endsWith('spec.ts'))) {
    const { code } = await transformFile(join(SOURCE, name), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
      module: { type: 'es6' },
    });
    const target = join(folder, name.replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const lmdb = createRequire(import.meta.url).resolve('lmdb');
  const modules = lmdb.slice(0, lmdb.lastIndexOf(join('node_modules', 'lmdb')));
  await symlink(join(modules, 'node_modules'), join(folder, 'node_modules'));
}
