import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, type PathState } from '@retrace/contracts';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { applyTransition } from './apply.js';
import { captureState } from './capture.js';
import { tryReadLease } from './lease.js';
import { stage } from './stage.js';
import { listStaged } from './staging.js';
import type { Stat } from './stat.js';
import {
  fileOf,
  folderOf,
  linkTo,
  temporaryWorkspace,
  treeOf,
  type TemporaryWorkspace,
} from './testing/temporary-workspace.js';
import type { Transition, TransitionOptions } from './transition.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

const read = (name: string): string => fs.readFileSync(w.full(name), 'utf8');
const stagedText = (): string => read('.retrace/staging/s');
const transition = (from: PathState, to: PathState, path = 'f'): Transition => ({ path, from, to, stageName: 's' });

/** Stages and applies; `between` runs in the gap. */
function run(t: Transition, content = '', between = (): void => {}, expected?: Stat, options: TransitionOptions = {}) {
  stage(w.root, t, () => Buffer.from(content));
  between();
  return applyTransition(w.root, t, expected, options);
}

/** Whether this machine lets us prove that nobody writes. */
function leasesWork(): boolean {
  w.put('lease', '');
  const fd = fs.openSync(w.full('lease'), 'r');
  const lease = tryReadLease(fd);
  fs.closeSync(fd);
  return lease === 'no-writer';
}

describe('absent → X', () => {
  it.each([
    ['file', fileOf('new', 0o755), 'new'],
    ['folder', folderOf(0o750), ''],
    ['link', linkTo('a/b'), ''],
  ])('places a %s', (_, to, content) => {
    expect(run(transition(ABSENT, to), content)).toEqual({ outcome: 'applied' });
    expect(captureState(w.root.rootFd, 'f').state).toEqual(to);
    expect(listStaged(w.root)).toEqual([]);
  });

  it.each([
    ['file', () => w.put('f', 'theirs'), fileOf('theirs')],
    ['folder', () => fs.mkdirSync(w.full('f'), { mode: 0o755 }), folderOf()],
    ['dangling link', () => fs.symlinkSync('none', w.full('f')), linkTo('none')],
  ])('never overwrites a %s that came meanwhile', (_, appear, found) => {
    for (const to of [fileOf('new'), folderOf(0o700), linkTo('x')]) {
      fs.rmSync(w.full('f'), { recursive: true, force: true });
      expect(run(transition(ABSENT, to), 'new', appear)).toEqual({ outcome: 'changed', found });
      expect(captureState(w.root.rootFd, 'f').state).toEqual(found);
    }
  });

  it('needs the parent, and refuses one that became a link', () => {
    const t = transition(ABSENT, fileOf('x'), 'd/f');
    expect(() => run(t, 'x')).toThrow(expect.objectContaining({ code: 'absent' }));
    fs.symlinkSync('../outside', w.full('d'));
    expect(() => run(t, 'x')).toThrow(expect.objectContaining({ code: 'link_refused' }));
    expect(fs.readdirSync(w.outside)).toEqual([]);
  });

  it.each(['.retrace/lock', '.retrace'])('refuses %j', (path) => {
    expect(() => run(transition(ABSENT, fileOf('x'), path), 'x')).toThrow(
      expect.objectContaining({ code: 'not_permitted' }),
    );
  });
});

describe('X → absent', () => {
  it('takes a file or link out and keeps it in staging', () => {
    w.put('f', 'old', 0o755);
    expect(run(transition(fileOf('old', 0o755), ABSENT))).toMatchObject({ outcome: 'applied', preImage: 'staged' });
    expect([treeOf(w.folder), stagedText()]).toEqual([{}, 'old']);
    fs.symlinkSync('none', w.full('l'));
    const t = { ...transition(linkTo('none'), ABSENT, 'l'), stageName: 'l' };
    expect(applyTransition(w.root, t)).toMatchObject({ outcome: 'applied' });
    expect(fs.readlinkSync(w.full('.retrace/staging/l'))).toBe('none');
  });

  it.each<[string, () => void]>([
    ['written to', () => w.put('f', 'theirs')],
    ['given another mode', () => fs.chmodSync(w.full('f'), 0o600)],
    ['replaced by a link', () => (fs.unlinkSync(w.full('f')), fs.symlinkSync('x', w.full('f')))],
  ])('leaves a file that was %s', (_, change) => {
    w.put('f', 'old');
    const { stat } = captureState(w.root.rootFd, 'f');
    const t = transition(fileOf('old'), ABSENT);
    const result = run(
      t,
      '',
      () => {
        change();
      },
      stat,
    );
    expect(result).toEqual({ outcome: 'changed', found: captureState(w.root.rootFd, 'f').state });
    expect(listStaged(w.root)).toEqual([]);
  });

  it('is not fooled by a change of equal size whose mtime was set back', () => {
    w.put('f', 'old');
    fs.utimesSync(w.full('f'), 1000, 1000);
    const { stat } = captureState(w.root.rootFd, 'f');
    fs.writeFileSync(w.full('f'), 'new');
    fs.utimesSync(w.full('f'), 1000, 1000);
    expect(run(transition(fileOf('old'), ABSENT), '', undefined, stat)).toEqual({
      outcome: 'changed',
      found: fileOf('new'),
    });
    expect(read('f')).toBe('new');
  });

  it('hashes again where the stat was taken too soon after the last write to prove anything', () => {
    w.put('f', 'new');
    const { stat } = captureState(w.root.rootFd, 'f');
    const coarse = { ...w.root, fineTimes: false };
    expect(applyTransition(coarse, transition(fileOf('old'), ABSENT), stat)).toEqual({
      outcome: 'changed',
      found: fileOf('new'),
    });
  });

  it('sees a change of equal size in the moment after the look', () => {
    for (let i = 0; i < 50; i++) {
      w.put('f', 'old');
      const { stat } = captureState(w.root.rootFd, 'f');
      fs.writeFileSync(w.full('f'), 'new');
      expect(applyTransition(w.root, transition(fileOf('old'), ABSENT), stat)).toMatchObject({ outcome: 'changed' });
    }
  });

  it('goes by content where only the times moved', () => {
    w.put('f', 'old');
    const { stat } = captureState(w.root.rootFd, 'f');
    fs.utimesSync(w.full('f'), 1000, 1000);
    expect(run(transition(fileOf('old'), ABSENT), '', undefined, stat)).toMatchObject({ outcome: 'applied' });
  });

  it('does not overwrite what lies in staging', () => {
    w.put('f', 'old');
    fs.writeFileSync(w.full('.retrace/staging/s'), 'other');
    expect(() => applyTransition(w.root, transition(fileOf('old'), ABSENT))).toThrow(
      expect.objectContaining({ code: 'exists' }),
    );
    expect([read('f'), stagedText()]).toEqual(['old', 'other']);
  });

  it('removes an empty folder of the right mode only', () => {
    const t = transition(folderOf(), ABSENT, 'd');
    w.put('d/x', '');
    fs.chmodSync(w.full('d'), 0o755);
    expect(applyTransition(w.root, t)).toEqual({ outcome: 'changed', found: folderOf() });
    fs.unlinkSync(w.full('d/x'));
    fs.chmodSync(w.full('d'), 0o700);
    expect(applyTransition(w.root, t)).toEqual({ outcome: 'changed', found: folderOf(0o700) });
    fs.chmodSync(w.full('d'), 0o755);
    expect(applyTransition(w.root, t)).toEqual({ outcome: 'applied' });
    expect(applyTransition(w.root, t)).toEqual({ outcome: 'changed', found: ABSENT });
  });
});

describe('X → Y', () => {
  const kinds: [string, PathState, () => unknown][] = [
    ['file', fileOf('old'), () => w.put('f', 'old')],
    ['link', linkTo('old'), () => fs.symlinkSync('old', w.full('f'))],
    ['empty folder', folderOf(0o711), () => fs.chmodSync(fs.mkdirSync(w.full('f'), { recursive: true }) ?? '', 0o711)],
  ];
  const targets: [string, PathState][] = [
    ['file', fileOf('new', 0o751)],
    ['link', linkTo('new')],
    ['folder', folderOf(0o700)],
  ];
  const pairs = kinds.flatMap(([a, from, make]) =>
    targets
      .filter(([b]) => !(a === 'empty folder' && b === 'folder'))
      .map(([b, to]) => [a, b, from, to, make] as const),
  );
  it.each(pairs)('exchanges a %s for a %s', (_a, _b, from, to, make) => {
    make();
    expect(run(transition(from, to), 'new')).toMatchObject({ outcome: 'applied', preImage: 'staged' });
    expect(captureState(w.root.rootFd, 'f').state).toEqual(to);
    expect(captureState(w.root.rootFd, '.retrace/staging/s').state).toEqual(from);
  });

  it('sets a mode on the object that stays', () => {
    w.put('f', 'old', 0o644);
    const { ino } = fs.statSync(w.full('f'));
    expect(run(transition(fileOf('old'), fileOf('old', 0o755)))).toEqual({ outcome: 'applied' });
    expect(fs.statSync(w.full('f'))).toMatchObject({ ino, mode: 0o100755 });
  });

  it.each<[string, () => void, PathState]>([
    ['was written to', () => w.put('f', 'theirs'), fileOf('theirs')],
    ['was deleted', () => fs.unlinkSync(w.full('f')), ABSENT],
    ['got another mode', () => fs.chmodSync(w.full('f'), 0o755), fileOf('old', 0o755)],
    ['became a folder', () => (fs.unlinkSync(w.full('f')), fs.mkdirSync(w.full('f'), { mode: 0o755 })), folderOf()],
  ])('leaves a path that %s', (_, change, found) => {
    w.put('f', 'old');
    expect(run(transition(fileOf('old'), fileOf('new')), 'new', change)).toEqual({ outcome: 'changed', found });
    expect(captureState(w.root.rootFd, 'f').state).toEqual(found);
    expect(stagedText()).toBe('new');
  });

  it('does not replace a folder that is not empty', () => {
    w.put('f/x', 'kept');
    fs.chmodSync(w.full('f'), 0o755);
    expect(run(transition(folderOf(), fileOf('new')), 'new')).toEqual({ outcome: 'changed', found: folderOf() });
    expect(read('f/x')).toBe('kept');
  });

  it('gives back a file that somebody has open for writing, also when deleting it', () => {
    if (!leasesWork()) return;
    w.put('f', 'old');
    const writer = fs.openSync(w.full('f'), 'r+');
    expect(run(transition(fileOf('old'), fileOf('new')), 'new')).toEqual({ outcome: 'writer' });
    expect([read('f'), stagedText()]).toEqual(['old', 'new']);
    expect(run(transition(fileOf('old'), ABSENT))).toEqual({ outcome: 'writer' });
    fs.writeSync(writer, 'OLD');
    fs.closeSync(writer);
    expect(read('f')).toBe('OLD');
  });

  it('takes a file with an open writer where the caller allows it, and says so', () => {
    if (!leasesWork()) return;
    w.put('f', 'old');
    const writer = fs.openSync(w.full('f'), 'r+');
    const t = transition(fileOf('old'), fileOf('new'));
    expect(run(t, 'new', undefined, undefined, { allowWriter: true })).toEqual({
      outcome: 'applied',
      preImage: 'staged',
      lease: 'writer',
    });
    fs.closeSync(writer);
  });

  it('needs the staged object, and touches nothing without it', () => {
    w.put('f', 'old');
    expect(() => applyTransition(w.root, transition(fileOf('old'), fileOf('new')))).toThrow(
      expect.objectContaining({ code: 'absent', subject: 's' }),
    );
    expect(read('f')).toBe('old');
  });

  it('refuses FIFOs', () => {
    execFileSync('mkfifo', [w.full('f')]);
    const fifo: PathState = { kind: 'other', type: 'fifo' };
    expect(() => applyTransition(w.root, transition(fifo, ABSENT))).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
    expect(run(transition(fileOf('old'), ABSENT))).toEqual({ outcome: 'changed', found: fifo });
  });

  it('what is to stay absent may have lost its folder', () => {
    const gone: Transition = { path: 'gone/a', from: ABSENT, to: ABSENT, stageName: 's' };
    expect(applyTransition(w.root, gone)).toEqual({ outcome: 'applied' });
  });

  it('answers for equal states by what it finds', () => {
    w.put('f', 'same');
    expect(applyTransition(w.root, transition(fileOf('same'), fileOf('same')))).toEqual({ outcome: 'applied' });
    expect(applyTransition(w.root, transition(ABSENT, ABSENT))).toEqual({ outcome: 'changed', found: fileOf('same') });
  });

  it('works the same with durability against power failure', () => {
    const power: TransitionOptions = { durability: 'power' };
    expect(run(transition(ABSENT, fileOf('a')), 'a', undefined, undefined, power)).toEqual({ outcome: 'applied' });
    const chmod = transition(fileOf('a'), fileOf('a', 0o600));
    expect(run(chmod, '', undefined, undefined, power)).toEqual({ outcome: 'applied' });
  });

  it.each([['$HOME'], ['[a](b){c}*?'], ['line\nbreak'], ['é'.repeat(127) + 'x'], ['-rf'], [' ']])(
    'creates, replaces and deletes %j',
    (name) => {
      expect(run(transition(ABSENT, fileOf('1'), name), '1')).toEqual({ outcome: 'applied' });
      expect(run({ ...transition(fileOf('1'), fileOf('2'), name), stageName: 't' }, '2')).toMatchObject({
        outcome: 'applied',
      });
      expect(fs.readdirSync(w.folder)).toEqual(['.retrace', name].toSorted());
      expect(run(transition(fileOf('2'), ABSENT, name))).toMatchObject({ outcome: 'applied' });
    },
  );

  it('leaves no handle open', () => {
    const open = (): number => fs.readdirSync('/proc/self/fd').length;
    w.put('f', 'old');
    const before = open();
    run(transition(fileOf('old'), fileOf('new')), 'new');
    run(transition(fileOf('old'), ABSENT));
    expect(open()).toBe(before);
  });
});

describe('as another user than root', () => {
  it('places a folder that its owner may not write to, and says that leases are not permitted', () => {
    if (process.geteuid?.() !== 0) return;
    for (const place of ['', '.retrace', '.retrace/staging']) fs.chownSync(w.full(place), 65_534, 65_534);
    fs.chmodSync(w.full('..'), 0o755);
    w.put('f', 'old', 0o666);
    process.seteuid?.(65_534);
    try {
      expect(run(transition(ABSENT, folderOf(0o555), 'd'))).toEqual({ outcome: 'applied' });
      expect(captureState(w.root.rootFd, 'd').state).toEqual(folderOf(0o555));
      expect(run({ ...transition(fileOf('old', 0o666), fileOf('new')), stageName: 't' }, 'new')).toMatchObject({
        outcome: 'applied',
      });
    } finally {
      process.seteuid?.(0);
    }
  });
});
