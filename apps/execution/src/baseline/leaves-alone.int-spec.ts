import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { WORKSPACE } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';
import { BaselineMarks } from './baseline-marks.js';
import { Baselines } from './baselines.js';
import { MemoryContents } from './testing/memory-contents.js';

jest.setTimeout(60_000);

const APPS = path.resolve(import.meta.dirname, '../../..');

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
});
afterEach(() => x.dispose());

async function takeBaseline(): Promise<void> {
  const marks = BaselineMarks.open(x.folder.data, 'process');
  const { store, log } = x;
  const baselines = new Baselines({ store, log, contents: new MemoryContents(), marks });
  baselines.start(x.executor.workspace);
  while (baselines.progress(WORKSPACE).status === 'running') await sleep(2);
  await baselines.close();
}

it('a baseline changes nothing in the folder, of what is ignored neither', async () => {
  x.folder.put('.gitignore', 'dist\n');
  x.folder.put('dist/x', 'D', 0o600);
  x.folder.put('.git/HEAD', 'H');
  x.folder.put('a', 'A', 0o755);
  fs.utimesSync(x.folder.full('a'), 978_307_200, 978_307_200);
  const before = x.folder.tree();
  await takeBaseline();
  expect([x.folder.tree(), fs.statSync(x.folder.full('a')).mtimeMs]).toEqual([before, 978_307_200_000]);
});

it('what an ignore file protected stays when the change of that file is taken back', async () => {
  x.folder.put('.gitignore', 'dist\n');
  await takeBaseline();
  await x.run(x.to.write('.gitignore', 'dist\nlocal.db\n'));
  x.folder.put('local.db', "a person's");
  x.folder.put('dist/built', 'also nobody asked about');
  await x.restore({ path: '.gitignore', expect: fileOf('dist\nlocal.db\n'), restore: fileOf('dist\n') });
  expect([x.folder.text('.gitignore'), x.folder.text('local.db'), x.folder.text('dist/built')]).toEqual([
    'dist\n',
    "a person's",
    'also nobody asked about',
  ]);
});

it('nothing that changes or plans changes of files reads ignore rules', () => {
  const sources = ['execution/src', 'rollback/src', '../libs/workspace-fs/src'].flatMap((folder) =>
    fs
      .readdirSync(path.join(APPS, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!spec)\.ts$/.test(name) && !name.startsWith('baseline/'))
      .map((name) => path.join(APPS, folder, name)),
  );
  expect(sources.length).toBeGreaterThan(100);
  const reading = /\/ignoring\/|['"`/]\.(gitignore|retraceignore)\b/;
  expect(sources.filter((file) => reading.test(fs.readFileSync(file, 'utf8')))).toEqual([
    // It writes one into the control folder, for other tools.
    path.resolve(APPS, '../libs/workspace-fs/src/control-folder.ts'),
  ]);
});
