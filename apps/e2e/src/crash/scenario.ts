import { closeSync, existsSync, mkdirSync, openSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  FsAddWorkspace,
  FsBaseline,
  PolicyAddMember,
  PolicyPublish,
  PrincipalSchema,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import type { Errand } from './errand.js';

/** Content of one chunk and a bit, so that its upload has a middle. */
const CHUNKS = 'chunks '.repeat(90_000);
/** Over what the blob store keeps in its database. */
const LARGE = 'large '.repeat(20_000);
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

/** A folder for one step, with nested repositories and a person's file beside what is touched. */
export function layOut(root: string, folder: string): void {
  const put = (path: string, content: string, mode = 0o644): void => {
    const file = join(root, folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content, { mode });
    utimesSync(file, LONG_AGO, LONG_AGO);
  };
  put('a.txt', 'one\ntwo\nthree\n');
  put('b.sh', '#!/bin/sh\n', 0o755);
  put('gone.txt', `gone ${folder}\n`);
  put('large.txt', `${folder} ${LARGE}`);
  put('tree/x.txt', 'x\n');
  put('tree/sub/y.txt', 'y\n');
  put('lib/x.c', '0');
  put('lib/.git/HEAD', 'ref: refs/heads/main\n');
  put('lib/.git/config', '[core]\n', 0o600);
  put('lib/sub/.git', 'gitdir: ../.git/modules/sub\n');
  put('lib/sub/z.c', '0');
  put('person.txt', 'mine\n', 0o640);
  symlinkSync('a.txt', join(root, folder, 'link'));
}

export type Step = (errand: Errand) => Promise<void>;

/** Together they pass by every failpoint in the code. */
export const SCENARIO: Readonly<Record<string, Step>> = {
  'writes and edits': async (errand) => {
    const session = await errand.session();
    await errand.apply(session, [{ create: errand.path('new.txt'), content: errand.folder }]);
    await errand.apply(session, [{ write: errand.path('large.txt'), content: `${errand.folder} ${CHUNKS}` }]);
    await errand.apply(session, [{ edit: errand.path('a.txt'), edits: [{ oldText: 'two', newText: 'TWO' }] }]);
    await errand.apply(session, [{ append: errand.path('a.txt'), content: 'four\n' }]);
    await errand.told(errand.intent(), (intentId) => session.complete({ intentId }));
  },

  'one logical operation on many files': async (errand) => {
    const at = (name: string): string => errand.path(name);
    await errand.apply(await errand.session(), [
      { write: at('lib/x.c'), content: `1 ${errand.folder}` },
      { create: at('lib/sub/n.c'), content: 'n' },
      { mkdir: at('d') },
      { move: at('b.sh'), to: at('d/b.sh') },
      { delete: at('gone.txt') },
      { chmod: at('a.txt'), mode: 0o600 },
      { symlink: at('d/l'), target: '../a.txt' },
      { copy: at('lib/sub/z.c'), to: at('d/z.c') },
    ]);
  },

  'folders moved, copied and removed': async (errand) => {
    const session = await errand.session();
    await errand.apply(session, [{ move: errand.path('tree'), to: errand.path('moved') }]);
    await errand.apply(session, [{ copy: errand.path('moved'), to: errand.path('copied'), recursive: true }]);
    await errand.apply(session, [{ delete: errand.path('moved'), recursive: true }]);
  },

  'an operation that fails midway': async (errand) => {
    const held = openSync(errand.file('b.sh'), 'r+');
    try {
      const session = await errand.session();
      const operations = [
        { write: errand.path('a.txt'), content: 'A' },
        { create: errand.path('n'), content: 'N' },
        { write: errand.path('b.sh'), content: 'B' },
      ];
      await errand.apply(session, operations).then(
        () => Promise.reject(new Error('somebody has it open for writing, and it was written all the same')),
        (error: { code?: string }) => (error.code === 'writer_active' ? undefined : Promise.reject(error)),
      );
    } finally {
      closeSync(held);
    }
  },

  'a logical operation of several intents': async (errand) => {
    const session = await errand.session();
    const open = await session.begin({ intentId: errand.intent(), logicalOperationId: errand.operation() });
    await errand.apply(open, [{ write: errand.path('a.txt'), content: `open ${errand.folder}` }]);
    await errand.apply(open, [{ create: errand.path('n'), content: 'N' }]);
    await errand.told(errand.intent(), (intentId) => open.commit({ intentId }));
  },

  'a logical operation that is aborted': async (errand) => {
    const session = await errand.session();
    const open = await session.begin({ intentId: errand.intent(), logicalOperationId: errand.operation() });
    await errand.apply(open, [{ write: errand.path('a.txt'), content: `aborted ${errand.folder}` }]);
    await errand.apply(open, [{ delete: errand.path('gone.txt') }]);
    await errand.told(errand.intent(), (intentId) => open.abort({ intentId }));
  },

  'an undo, and the undo of it': async (errand) => {
    const session = await errand.session();
    const { logicalOperationId } = await errand.apply(session, [
      { write: errand.path('a.txt'), content: `undone ${errand.folder}` },
      { delete: errand.path('large.txt') },
      { move: errand.path('b.sh'), to: errand.path('c.sh') },
    ]);
    const undone = await errand.undo({ by: 'logical_operation', logical_operation_id: logicalOperationId });
    await errand.undo({ by: 'logical_operation', logical_operation_id: undone.logicalOperationId });
  },

  'an event in pages': async (errand) => {
    const long = (n: number): string => [1, 2, 3].map((m) => `${m}-${n}-`.padEnd(240, 'x')).join('/');
    const folders = Array.from({ length: 80 }, (_, n) => ({ mkdir: errand.path(long(n)), parents: true }));
    await errand.apply(await errand.session(), folders);
  },

  'a rebuild': async (errand) => {
    await errand.apply(await errand.session(), [{ create: errand.path('rebuilt'), content: errand.folder }]);
    await errand.operator.rebuild();
    for (;;) {
      const { rebuild } = await errand.operator.status();
      if (rebuild?.status !== 'running') return;
      await sleep(20);
    }
  },

  'another workspace': async (errand) => {
    const name = WorkspaceNameSchema.parse(`other-${errand.folder}`);
    const root = join(errand.root, '..', name);
    // Contents that are nowhere else: what is in the store already is not copied.
    if (!existsSync(root)) layOut(root, name);
    await errand.bus.call(FsAddWorkspace, { name, root });
    const other = await errand.bus.workspace(name);
    for (;;) {
      const { status } = await other.call(FsBaseline, {});
      if (status === 'done') break;
      await sleep(20);
    }
    await other.call(PolicyPublish, { name: 'team', yaml: '' });
    await other.call(PolicyAddMember, { member: PrincipalSchema.parse('agent-a') });
  },
};
