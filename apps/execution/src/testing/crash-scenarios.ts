import fs from 'node:fs';
import { ABSENT } from '@retrace/contracts';
import { authorize, requestStep } from './authorities.js';
import type { CrashWork } from './crash-child.js';
import type { ExecutionFixture } from './execution-fixture.js';
import { hashOf } from './memory-blobs.js';
import { fileOf } from './requests.js';

export interface CrashScenario {
  /** Or `failed`: death may come too late to go forward. */
  readonly ends: 'applied' | 'failed';
  /** Makes the workspace and the authority. */
  prepare(x: ExecutionFixture): Promise<CrashWork>;
}

export const LARGE = 'large '.repeat(30_000);

/** Nested repositories beside what is touched, and one object of each kind. */
function makeWorkspace({ folder }: ExecutionFixture): void {
  folder.put('.git/HEAD', 'ref: refs/heads/main\n');
  folder.put('vendor/lib/.git', 'gitdir: ../../.git/modules/lib\n');
  folder.put('vendor/lib/x.c', LARGE, 0o600);
  folder.put('y.c', '0', 0o755);
  folder.put('linked', 'old content, longer than the new one');
  fs.linkSync(folder.full('linked'), folder.full('other name'));
  folder.put('gone', 'G');
  fs.mkdirSync(folder.full('empty'), { mode: 0o711 });
  fs.symlinkSync('y.c', folder.full('l'));
}

export const CRASH_SCENARIOS: Record<string, CrashScenario> = {
  'one operation of each kind': {
    ends: 'applied',
    async prepare(x) {
      makeWorkspace(x);
      const { to } = x;
      const operations = [
        to.write('vendor/lib/x.c', '1'),
        to.mkdir('d'),
        to.create('d/n', 'N'),
        to.write('linked', 'new content'),
        to.remove('gone'),
      ];
      return { authority: await authorize(x.log, operations) };
    },
  },
  'several operations on one path': {
    ends: 'applied',
    async prepare(x) {
      makeWorkspace(x);
      const { to } = x;
      const operations = [
        to.edit('vendor/lib/x.c', [{ old_text: 'large', new_text: 'very large', all: true }]),
        to.write('vendor/lib/x.c', LARGE),
        to.remove('y.c'),
        to.create('y.c', '0', { mode: 0o755 }),
        to.remove('l'),
        to.mkdir('l'),
        to.remove('l'),
      ];
      return { authority: await authorize(x.log, operations) };
    },
  },
  'an operation that cannot be carried out': {
    ends: 'failed',
    async prepare(x) {
      makeWorkspace(x);
      const { to } = x;
      const operations = [
        to.write('vendor/lib/x.c', '1'),
        to.write('linked', 'new content'),
        to.remove('gone'),
        to.mkdir('out'),
        to.create('out/n', 'last'),
      ];
      return {
        authority: await authorize(x.log, operations),
        obstacle: { during: hashOf('last'), path: 'out' },
      };
    },
  },
  'an operation on a file that somebody writes to': {
    // The next process may come when nobody does any more.
    ends: 'applied',
    async prepare(x) {
      makeWorkspace(x);
      const { to } = x;
      const operations = [
        to.write('vendor/lib/x.c', '1'),
        to.create('n', 'N'),
        to.write('linked', 'new content'),
        to.write('y.c', 'last'),
      ];
      return {
        authority: await authorize(x.log, operations),
        obstacle: { during: hashOf('last'), path: 'y.c' },
      };
    },
  },
  'moves, one over another file, and what builds on them': {
    ends: 'applied',
    async prepare(x) {
      makeWorkspace(x);
      const { to } = x;
      const operations = [
        to.move('y.c', 'vendor/lib/x.c', { overwrite: true }),
        to.mkdir('d'),
        to.move('linked', 'd/linked'),
        to.edit('d/linked', [{ old_text: 'old', new_text: 'edited' }]),
        to.move('d/linked', 'linked'),
        to.move('l', 'd/l'),
        to.copy('linked', 'y.c'),
        to.append('y.c', LARGE),
      ];
      return { authority: await authorize(x.log, operations) };
    },
  },
  'a move that cannot be carried out': {
    ends: 'failed',
    async prepare(x) {
      makeWorkspace(x);
      const { to } = x;
      const operations = [
        to.move('vendor/lib/x.c', 'gone', { overwrite: true }),
        to.move('y.c', 'moved'),
        to.create('out', 'last'),
      ];
      return { authority: await authorize(x.log, operations), obstacle: { during: hashOf('last'), path: 'out' } };
    },
  },
  'a rollback of moves': {
    ends: 'applied',
    async prepare(x) {
      makeWorkspace(x);
      x.blobs.keep('before');
      const steps = [
        { path: 'y.c', expect: fileOf('0', 0o755), restore: fileOf('before'), moves_to: 'gone' },
        { path: 'gone', expect: fileOf('G'), restore: fileOf('0', 0o755), moves_from: 'y.c' },
        { path: 'l', expect: { kind: 'link', target: 'y.c' } as const, restore: ABSENT, moves_to: 'l2' },
        { path: 'l2', expect: ABSENT, restore: { kind: 'link', target: 'y.c' } as const, moves_from: 'l' },
      ];
      return { authority: await requestStep(x.log, steps) };
    },
  },
  'a rollback': {
    ends: 'applied',
    async prepare(x) {
      makeWorkspace(x);
      for (const content of ['before', '0']) x.blobs.keep(content);
      const old = { path: 'linked', expect: fileOf('old content, longer than the new one'), restore: fileOf('before') };
      const steps = [
        { path: 'empty', expect: { kind: 'directory', mode: 0o711 } as const, restore: ABSENT },
        { path: 'y.c', expect: fileOf('0', 0o755), restore: fileOf('0', 0o644) },
        { path: 'l', expect: { kind: 'link', target: 'y.c' } as const, restore: fileOf('before', 0o600) },
        old,
        { path: 'vendor/lib/x.c', expect: fileOf(LARGE, 0o600), restore: ABSENT },
      ];
      return { authority: await requestStep(x.log, steps) };
    },
  },
};
