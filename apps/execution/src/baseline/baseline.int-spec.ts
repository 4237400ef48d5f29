import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ABSENT, NOBODY, type PathState } from '@retrace/contracts';
import { Logger } from '@nestjs/common';
import { WORKSPACE } from '../testing/authorities.js';
import { hashOf } from '../testing/memory-blobs.js';
import { fileOf } from '../testing/requests.js';
import type { BaselineContents } from './baseline-contents.port.js';
import { BaselineScan } from './baseline-scan.js';
import { BaselineBed } from './testing/baseline-bed.js';

Logger.overrideLogger(['fatal']);
jest.setTimeout(60_000);

let bed: BaselineBed;
beforeEach(async () => {
  bed = new BaselineBed();
  await bed.register();
});
afterEach(() => bed.dispose());

const put = (name: string, content: string): void => bed.folder.put(name, content);
/** As an operation's outcome is kept. */
const record = (path: string, state: PathState): void => bed.store.recordBaseline(WORKSPACE, [{ path, state }], 77);

/** Root may read everything: under its account another one is taken for the time. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid!(65_534);
  try {
    await work();
  } finally {
    if (root) process.seteuid!(0);
  }
}

describe('a baseline', () => {
  it('stores every content, and puts every path on record with the sequence of one event', async () => {
    put('a', 'A');
    bed.folder.put('d/b', 'B', 0o750);
    fs.symlinkSync('../nowhere', bed.folder.full('d/l'));
    fs.mkdirSync(bed.folder.full('e'), { mode: 0o711 });
    await bed.take();
    const states = {
      a: fileOf('A'),
      d: { kind: 'directory', mode: 0o755 },
      'd/b': { ...fileOf('B'), mode: 0o750 },
      'd/l': { kind: 'link', target: '../nowhere' },
      e: { kind: 'directory', mode: 0o711 },
    };
    expect(await bed.manifest()).toEqual(Object.entries(states).map(([path, state]) => ({ path, state })));
    const events = await bed.events();
    expect(events).toMatchObject([
      { agent: NOBODY, data: { files: 2, directories: 2, links: 1, bytes: 2, skipped_count: 0 } },
    ]);
    for (const [path, state] of Object.entries(states))
      expect(bed.recorded(path)).toMatchObject({ state, sequence: events[0]!.sequence, operationId: null });
    for (const content of ['A', 'B']) expect(bed.contents.content.has(hashOf(content))).toBe(true);
    expect(bed.baselines.progress(WORKSPACE)).toEqual({ status: 'done', files: 2, bytes: 2, found: 2, message: null });
  });

  it('is taken once, however often it is asked for', async () => {
    put('a', 'A');
    await bed.take();
    put('b', 'B');
    await bed.take();
    await bed.restart();
    await bed.take();
    expect([await bed.events(), bed.recorded('b')]).toEqual([[expect.anything()], undefined]);
    expect(bed.baselines.progress(WORKSPACE).status).toBe('done');
  });

  it('of an empty folder is an event too, and before it starts there is none', async () => {
    expect(bed.baselines.progress(WORKSPACE)).toMatchObject({ status: 'none', message: null });
    await bed.take();
    expect([await bed.manifest(), (await bed.events()).length]).toEqual([[], 1]);
  });

  it('sorts the manifest by the bytes of the paths', async () => {
    const names = ['a', 'a-b', 'a!', 'é', 'z', '\u{1f600}', '\uff5e'];
    for (const name of names) put(name, name);
    put('a.d/x', '');
    await bed.take();
    const paths = await bed.paths();
    expect(paths).toEqual(paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(paths).toHaveLength(names.length + 2);
  });
});

describe('what a baseline leaves out', () => {
  it('are ignored paths, .git of any kind, and control folders; the first two are counted', async () => {
    put('.gitignore', 'dist/\n*.log\n!keep.log\n');
    put('.retraceignore', '*.secret\n!dist/\n');
    put('dist/x', 'kept by .retraceignore');
    put('a.log', '');
    put('keep.log', '');
    put('k.secret', '');
    put('.git/HEAD', '');
    put('sub/.git', 'gitdir: elsewhere');
    put('sub/.retrace/lock', '');
    put('sub/.gitignore', 'only\n');
    put('sub/only', '');
    put('only', '');
    await bed.take();
    expect(await bed.paths()).toEqual(
      ['.gitignore', '.retraceignore', 'dist', 'dist/x', 'keep.log', 'only', 'sub', 'sub/.gitignore'].toSorted(),
    );
    const [event] = await bed.events();
    expect(event!.data.ignored).toEqual({ rules: ['.gitignore', '.retraceignore', 'sub/.gitignore'], entries: 5 });
  });

  it('is what cannot be stored, with the reason; a FIFO is never opened', async () => {
    put('n.txt', 'N');
    execFileSync('mkfifo', [bed.folder.full('pipe')]);
    fs.writeFileSync(Buffer.concat([Buffer.from(`${bed.folder.root}/`), Buffer.from([0x66, 0xff])]), '');
    fs.symlinkSync(Buffer.from([0x66, 0xff]), bed.folder.full('l'));
    await bed.take();
    const [event] = await bed.events();
    expect(await bed.paths()).toEqual(['n.txt']);
    expect(event!.data.skipped_count).toBe(3);
    expect(event!.data.skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'f\ufffd', why: expect.stringContaining('not UTF-8') },
      { path: 'l', why: expect.stringContaining('not UTF-8') },
      { path: 'pipe', why: expect.stringContaining('FIFO') },
    ]);
  });

  it('is what this account may not read', async () => {
    put('secret', 'S');
    put('locked/x', 'X');
    put('n.txt', 'N');
    fs.chmodSync(bed.folder.full('secret'), 0);
    fs.chmodSync(bed.folder.full('locked'), 0o711);
    const stored = { storeFiles: () => Promise.resolve([undefined]) } as unknown as BaselineContents;
    const scan = new BaselineScan(bed.workspace, stored, () => false);
    await asNobody(() => scan.run(new AbortController().signal));
    expect(scan.entries.map(({ path }) => path).toSorted()).toEqual(['locked', 'n.txt']);
    expect(scan.leftOut.skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
      ['locked', 'secret'].map((path) => ({ path, why: 'this account may not read it' })),
    );
  });

  it('is not held up by a FIFO in the place of an ignore file', async () => {
    execFileSync('mkfifo', [bed.folder.full('.gitignore')]);
    put('n.txt', 'N');
    await bed.take();
    expect((await bed.events())[0]!.data).toMatchObject({ files: 1, ignored: { rules: [] }, skipped_count: 1 });
  });

  it('is told within what the bus takes, however long the names are', async () => {
    const long = Array.from({ length: 15 }, (_, i) => `${i}`.padEnd(240, 'x')).join('/');
    for (let i = 0; i < 40; i++) put(`${long}/${i}/.gitignore`, '');
    await bed.take();
    const [event] = await bed.events();
    expect(event!.data.files).toBe(40);
    expect(JSON.stringify(event!.data).length).toBeLessThan(200_000);
    expect(event!.data.ignored.rules.length).toBeGreaterThan(0);
  });

  it('tells the first hundred of what was skipped, and counts all', async () => {
    for (let i = 0; i < 130; i++) execFileSync('mkfifo', [bed.folder.full(`p${i}`)]);
    await bed.take();
    const [event] = await bed.events();
    expect([event!.data.skipped.length, event!.data.skipped_count]).toEqual([100, 130]);
  });

  it('is a file that changes whenever it is read; one that rests is stored as it came to rest', async () => {
    put('restless', '0');
    put('resting', '0');
    let times = 0;
    bed.contents.onStore = () => {
      times += 1;
      put('restless', `${times}`);
      if (times < 2) put('resting', 'rests');
    };
    await bed.take();
    const [event] = await bed.events();
    expect(event!.data.skipped).toEqual([{ path: 'restless', why: expect.stringContaining('changed') }]);
    expect(await bed.manifest()).toEqual([{ path: 'resting', state: fileOf('rests') }]);
    expect(times).toBe(3);
  });
});

describe('an operation during a baseline', () => {
  it('wins: what it left is on record, and its path is not in the manifest', async () => {
    put('a', 'A');
    put('b', 'B');
    put('gone', 'G');
    bed.contents.onStore = () => {
      put('b', 'by an operation');
      record('b', fileOf('by an operation'));
      record('gone', ABSENT);
    };
    await bed.take();
    expect(await bed.paths()).toEqual(['a']);
    expect(bed.recorded('b')).toMatchObject({ state: fileOf('by an operation'), sequence: 77 });
    expect(bed.recorded('gone')).toMatchObject({ state: ABSENT, sequence: 77 });
  });

  it('wins also between the event and its rows', async () => {
    put('a', 'A');
    const append = bed.log.append.bind(bed.log);
    bed.log.append = async (event) => {
      const appended = await append(event);
      record('a', ABSENT);
      return appended;
    };
    await bed.take();
    expect(await bed.paths()).toEqual(['a']);
    expect(bed.recorded('a')).toMatchObject({ state: ABSENT, sequence: 77 });
  });
});

describe('a baseline that is in the way of nobody', () => {
  it('gives others their turn', async () => {
    for (let i = 0; i < 1000; i++) put(`d${i % 30}/f${i}`, `${i}`.repeat(3000));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await bed.take();
    clearImmediate(next);
    expect(turns).toBeGreaterThan(5);
    expect((await bed.events())[0]!.data.files).toBe(1000);
  });

  it('waits for a blob store that is away, and says so', async () => {
    put('a', 'A');
    bed.contents.down = true;
    bed.baselines.start(bed.workspace);
    while (bed.baselines.progress(WORKSPACE).message === null) await sleep(2);
    expect(bed.baselines.progress(WORKSPACE)).toMatchObject({
      status: 'running',
      found: 1,
      message: expect.stringContaining('away'),
    });
    bed.contents.down = false;
    await bed.take();
    expect(await bed.paths()).toEqual(['a']);
  });

  it('ends when it is told to in the middle, without an event, and begins again at the next start', async () => {
    for (let i = 0; i < 600; i++) put(`f${i}`, `${i}`);
    const stored = new Promise<void>((resolve) => {
      bed.contents.onStore = () => resolve();
    });
    bed.baselines.start(bed.workspace);
    await stored;
    await bed.baselines.halt();
    expect(bed.baselines.progress(WORKSPACE).status).toBe('running');
    bed.contents.onStore = () => undefined;
    await bed.restart();
    expect(await bed.events()).toEqual([]);
    await bed.take();
    expect((await bed.events())[0]!.data.files).toBe(600);
  });

  it('that fails says why, and is tried again when it is asked for', async () => {
    put('a', 'A');
    const stores = bed.contents.put.bind(bed.contents);
    bed.contents.put = () => Promise.reject(new Error('not my day'));
    await bed.take();
    expect(bed.baselines.progress(WORKSPACE)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('not my day'),
    });
    expect(bed.baselines.problems()).toEqual([expect.stringContaining(WORKSPACE)]);
    bed.contents.put = stores;
    await bed.take();
    expect([bed.baselines.progress(WORKSPACE).status, bed.baselines.problems()]).toEqual(['done', []]);
  });
});
