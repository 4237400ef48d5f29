import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, type PathState } from '@retrace/contracts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { applyTransition } from './apply.js';
import type { ApplyResult } from './apply-work.js';
import { captureState } from './capture.js';
import { listDirectory } from './list-directory.js';
import { isFsError } from './safe-fs-error.js';
import { stage } from './stage.js';
import { dropStaged, listStaged } from './staging.js';
import {
  fileOf,
  folderOf,
  temporaryWorkspace,
  treeOf,
  type TemporaryWorkspace,
} from './testing/temporary-workspace.js';
import type { Transition } from './transition.js';
import { undoTransition } from './undo.js';
import { writeInPlace } from './write-in-place.js';

let w: TemporaryWorkspace;
let child: ChildProcess | undefined;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(async () => {
  if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  w.dispose();
});

/** Starts a script in the workspace and waits until it says that it is at work. */
async function start(script: string): Promise<ChildProcess> {
  const started = spawn(process.execPath, ['-e', `const fs = require('node:fs');${script}`], {
    cwd: w.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  });
  child = started;
  await once(started.stdout, 'data');
  return started;
}

function attempt<T>(codes: Set<string>, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!isFsError(error)) throw error;
    codes.add(error.code);
    return undefined;
  }
}

describe('a folder that is swapped for a link to outside, again and again', () => {
  it('leads nothing of ours outside', async () => {
    w.put('d/keep', 'inside');
    fs.writeFileSync(`${w.outside}/keep`, 'outside', { mode: 0o600 });
    fs.mkdirSync(`${w.outside}/empty`);
    fs.writeFileSync(`${w.outside}/only-outside`, '');
    const before = treeOf(w.outside);
    fs.symlinkSync('../outside', w.full('out'));
    await start(`
      process.stdout.write('go');
      for (;;) {
        fs.renameSync('d', 'aside'); fs.renameSync('out', 'd');
        fs.renameSync('d', 'out'); fs.renameSync('aside', 'd');
      }`);
    const codes = new Set<string>();
    const outcomes = new Set<string>();
    const attack = (path: string, from: PathState, to: PathState, round: number): void => {
      const t: Transition = { path: `d/${path}`, from, to, stageName: `s${round}` };
      attempt(codes, () => {
        stage(w.root, t, () => Buffer.from('new'));
        outcomes.add(applyTransition(w.root, t).outcome);
      });
      attempt(codes, () => undoTransition(w.root, t));
      attempt(codes, () => dropStaged(w.root, t.stageName));
    };
    for (let round = 0; round < 300; round++) {
      attack('created', ABSENT, fileOf('new'), round);
      attack('folder', ABSENT, folderOf(), round);
      attack('keep', fileOf('outside', 0o600), fileOf('new'), round);
      attack('keep', fileOf('outside', 0o600), fileOf('outside', 0o777), round);
      attack('keep', fileOf('outside', 0o600), ABSENT, round);
      attack('empty', folderOf(), ABSENT, round);
      const t: Transition = { path: 'd/keep', from: fileOf('outside', 0o600), to: fileOf('new'), stageName: 's' };
      attempt(codes, () => writeInPlace(w.root, t, () => Buffer.from('new')));
      const seen = attempt(codes, () => captureState(w.root.rootFd, 'd/keep').state);
      expect(seen).not.toEqual(fileOf('outside', 0o600));
      const names = attempt(codes, () => listDirectory(w.root.rootFd, 'd').map(({ name }) => name));
      expect(names ?? []).not.toContain('only-outside');
    }
    expect(treeOf(w.outside)).toEqual(before);
    // Both sides of the race were met, or this proved nothing.
    expect([...outcomes]).toContain('applied');
    expect([...codes]).toContain('link_refused');
  });
});

describe('a file that somebody replaces by rename, again and again', () => {
  it('never loses a version: each is at the path, in staging as the pre-image, or was replaced by its own author', async () => {
    const last = 1500;
    w.put('f', 'v0');
    const renamer = await start(`
      process.stdout.write('go');
      for (let i = 1; i <= ${last}; i++) { fs.writeFileSync('tmp', 'v' + i); fs.chmodSync('tmp', 0o644); fs.renameSync('tmp', 'f'); }
      fs.writeFileSync('done', '');`);
    const exited = once(renamer, 'exit');
    const outcomes: Record<string, number> = {};
    const ours = new Map<string, string>();
    let newest = 0;
    const noteVersion = (text: string): void => {
      if (!text.startsWith('v')) return;
      const version = Number(text.slice(1));
      expect(version).toBeGreaterThanOrEqual(newest);
      newest = version;
    };
    for (let round = 0; !fs.existsSync(w.full('done')); round++) {
      const seen = captureState(w.root.rootFd, 'f', { readContentUpTo: 100 });
      noteVersion(String(seen.content));
      const t: Transition = { path: 'f', from: seen.state, to: fileOf(`ours${round}`), stageName: `s${round}` };
      stage(w.root, t, () => Buffer.from(`ours${round}`));
      const result: ApplyResult = applyTransition(w.root, t, seen.stat);
      outcomes[result.outcome] = (outcomes[result.outcome] ?? 0) + 1;
      const staged = fs.readFileSync(w.full(`.retrace/staging/s${round}`), { flag: 'a+', encoding: 'utf8' });
      if (result.outcome === 'applied') ours.set(`ours${round}`, staged);
      expect(staged).toBe(result.outcome === 'applied' ? String(seen.content) : staged);
      noteVersion(fs.readFileSync(w.full('f'), 'utf8'));
    }
    await exited;
    expect(outcomes['applied']).toBeGreaterThan(0);
    // Walk from what is visible through our own pre-images: the author's last version must come up.
    let text = fs.readFileSync(w.full('f'), 'utf8');
    while (ours.has(text)) text = ours.get(text) ?? '';
    expect(text).toBe(`v${last}`);
  });

  it('puts a version back that came between the check and the deletion', async () => {
    const last = 1000;
    w.put('f', 'v0');
    const renamer = await start(`
      process.stdout.write('go');
      for (let i = 1; i <= ${last}; i++) { fs.writeFileSync('tmp', 'v' + i); fs.chmodSync('tmp', 0o644); fs.renameSync('tmp', 'f'); }
      fs.writeFileSync('done', '');`);
    const exited = once(renamer, 'exit');
    for (let round = 0; !fs.existsSync(w.full('done')); round++) {
      const seen = captureState(w.root.rootFd, 'f', { readContentUpTo: 100 });
      if (seen.content === undefined) continue;
      const t: Transition = { path: 'f', from: seen.state, to: ABSENT, stageName: `s${round}` };
      const result = applyTransition(w.root, t, seen.stat);
      if (result.outcome !== 'applied') continue;
      expect(fs.readFileSync(w.full(`.retrace/staging/s${round}`), 'utf8')).toBe(String(seen.content));
    }
    await exited;
    const everywhere = [
      ...(fs.existsSync(w.full('f')) ? [w.full('f')] : []),
      ...listStaged(w.root).map((name) => w.full(`.retrace/staging/${String(name)}`)),
    ].map((full) => fs.readFileSync(full, 'utf8'));
    expect(everywhere).toContain(`v${last}`);
  });
});
