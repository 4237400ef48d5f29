import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { WORKSPACE } from '../testing/authorities.js';
import { CrashRunner } from '../testing/crash-runner.js';
import { BaselineBed } from './testing/baseline-bed.js';

Logger.overrideLogger(['fatal']);

const HERE = import.meta.dirname;
const MAIN = path.resolve(HERE, '../../dist/baseline/testing/baseline-crash-main.js');
const FILES = 1100;
const MOST_HITS = 8;

const sources = fs.readdirSync(HERE).filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'));
const FAILPOINTS = sources.flatMap((name) =>
  [...fs.readFileSync(`${HERE}/${name}`, 'utf8').matchAll(/\bfailpoint\('([^']+)'\)/g)].map(([, point]) => point!),
);

/** Runs it in a process of its own; answers whether that was killed. */
function killedAt(top: string, failpoint: string): boolean {
  const { signal, status, stderr } = spawnSync(process.execPath, [MAIN, top], {
    env: { RETRACE_FAILPOINT: failpoint },
    encoding: 'utf8',
  });
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr);
  return signal === 'SIGKILL';
}

async function prepared(): Promise<BaselineBed> {
  const bed = new BaselineBed();
  await bed.register();
  for (let i = 0; i < FILES; i++) bed.folder.put(`d${i % 10}/f${i}`, `${i}`);
  await bed.close();
  return bed;
}

describe('a process that is killed while it takes a baseline', () => {
  const beds: BaselineBed[] = [];
  beforeAll(() => CrashRunner.build(), 300_000);
  afterEach(() => beds.splice(0).forEach(({ folder }) => folder.dispose()));

  it.each(FAILPOINTS)(
    'at %s, each time it comes by: one event, all rows, all contents',
    async (failpoint) => {
      for (let times = 1; times <= MOST_HITS; times++) {
        const first = await prepared();
        beds.push(first);
        const killed = killedAt(first.folder.top, `${failpoint}:${times}`);
        expect(killed || times > 1).toBe(true);
        await expectOnce(new BaselineBed(first.folder));
        if (!killed) return;
      }
    },
    120_000,
  );

  it('several times over: one event', async () => {
    const first = await prepared();
    beds.push(first);
    for (const failpoint of FAILPOINTS) killedAt(first.folder.top, failpoint);
    await expectOnce(new BaselineBed(first.folder));
  }, 120_000);
});

async function expectOnce(bed: BaselineBed): Promise<void> {
  await bed.take();
  const events = await bed.events();
  expect(events).toHaveLength(1);
  expect(events[0]!.data).toMatchObject({ files: FILES, directories: 10 });
  const manifest = await bed.manifest();
  expect(manifest).toHaveLength(FILES + 10);
  for (const { path: name, state } of manifest) {
    expect(bed.recorded(name)).toMatchObject({ state, sequence: events[0]!.sequence });
    if (state.kind === 'file' && !bed.contents.content.has(state.hash)) throw new Error(`${name} is not stored`);
  }
  expect(bed.baselines.progress(WORKSPACE)).toMatchObject({ status: 'done', files: FILES });
  await bed.close();
}
