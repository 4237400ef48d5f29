import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, type PathState } from '@retrace/contracts';
import fs from 'node:fs';
import { applyTransition } from './apply.js';
import { classify } from './classify.js';
import { renameAt2 } from './entries.js';
import { stage } from './stage.js';
import { listStaged } from './staging.js';
import {
  fileOf,
  folderOf,
  linkTo,
  temporaryWorkspace,
  treeOf,
  type TemporaryWorkspace,
} from './testing/temporary-workspace.js';
import type { Transition } from './transition.js';
import { undoTransition } from './undo.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

const from = { absent: ABSENT, file: fileOf('old'), link: linkTo('old'), folder: folderOf(0o711) };
const to = { absent: ABSENT, file: fileOf('new', 0o755), link: linkTo('new'), folder: folderOf(0o700) };
type Kind = keyof typeof from;
const kinds: Kind[] = ['absent', 'file', 'link', 'folder'];
const pairs = kinds.flatMap((a) => kinds.map((b) => [a, b] as const)).filter(([a, b]) => !(a === b && a === 'absent'));

function make(state: PathState): void {
  if (state.kind === 'file') w.put('f', 'old');
  if (state.kind === 'link') fs.symlinkSync(state.target, w.full('f'));
  if (state.kind === 'directory') fs.chmodSync(fs.mkdirSync(w.full('f'), { recursive: true }) ?? '', state.mode);
}
const stageIt = (t: Transition): void => stage(w.root, t, () => Buffer.from('new'));
const read = (name: string): string => fs.readFileSync(w.full(name), 'utf8');
const replacing: Transition = { path: 'f', from: from.file, to: to.file, stageName: 's' };
const exchangeByHand = (): void => renameAt2(w.root.stagingFd, 's', w.root.rootFd, 'f', 'exchange');

describe.each(pairs)('%s → %s', (a, b) => {
  const t: Transition = { path: 'f', from: from[a], to: to[b], stageName: 's' };

  it('is before after staging and after after applying; undo brings the start back from anywhere, twice', () => {
    make(t.from);
    const start = treeOf(w.folder);
    expect(classify(w.root, t)).toMatchObject({ position: 'before', foreign: false });
    stageIt(t);
    expect(classify(w.root, t)).toMatchObject({ position: 'before', foreign: false });
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'undone' });
    expect([treeOf(w.folder), listStaged(w.root)]).toEqual([start, []]);
    stageIt(t);
    expect(applyTransition(w.root, t)).toMatchObject({ outcome: 'applied' });
    expect(classify(w.root, t)).toMatchObject({ position: 'after', found: t.to, foreign: false });
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'undone' });
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'undone' });
    expect([treeOf(w.folder), listStaged(w.root)]).toEqual([start, []]);
  });

  it('is not undone over what somebody made of it', () => {
    make(t.from);
    stageIt(t);
    applyTransition(w.root, t);
    fs.rmSync(w.full('f'), { recursive: true, force: true });
    w.put('f', 'theirs');
    expect(classify(w.root, t).position).toBe('neither');
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'changed', found: fileOf('theirs') });
    expect(read('f')).toBe('theirs');
  });
});

describe('undoTransition', () => {
  it('puts back a newer version that a crash between exchange and check had taken out', () => {
    w.put('f', 'theirs');
    stageIt(replacing);
    exchangeByHand();
    expect(classify(w.root, replacing)).toMatchObject({ position: 'after', foreign: true, staged: fileOf('theirs') });
    expect(undoTransition(w.root, replacing)).toEqual({ outcome: 'changed', found: fileOf('theirs') });
    expect([read('f'), listStaged(w.root)]).toEqual(['theirs', []]);
  });

  it('puts back a newer version that a crash between taking and checking had taken out', () => {
    w.put('f', 'theirs');
    const t: Transition = { ...replacing, to: ABSENT };
    renameAt2(w.root.rootFd, 'f', w.root.stagingFd, 's', 'noreplace');
    expect(classify(w.root, t)).toMatchObject({ position: 'after', foreign: true });
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'changed', found: fileOf('theirs') });
    expect(read('f')).toBe('theirs');
  });

  it('counts a replaced folder that somebody filled as theirs', () => {
    const t: Transition = { ...replacing, from: folderOf() };
    stageIt(t);
    w.put('f/x', 'theirs');
    fs.chmodSync(w.full('f'), 0o755);
    exchangeByHand();
    expect(classify(w.root, t)).toMatchObject({ position: 'after', foreign: true });
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'undone' });
    expect(read('f/x')).toBe('theirs');
  });

  it('does not delete an equal file of somebody else when ours was never placed', () => {
    const t: Transition = { ...replacing, from: ABSENT };
    stageIt(t);
    w.put('f', 'new', 0o755);
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'changed', found: t.to });
    expect(read('f')).toBe('new');
  });

  it('does not remove a created folder that got entries', () => {
    const t: Transition = { ...replacing, from: ABSENT, to: folderOf() };
    stageIt(t);
    applyTransition(w.root, t);
    w.put('f/x', 'theirs');
    expect(undoTransition(w.root, t)).toEqual({ outcome: 'changed', found: t.to });
    expect(read('f/x')).toBe('theirs');
  });

  it('says so when the pre-image is gone, and leaves the path', () => {
    w.put('f', 'new', 0o755);
    expect(() => undoTransition(w.root, replacing)).toThrow(expect.objectContaining({ code: 'absent', subject: 's' }));
    expect(read('f')).toBe('new');
  });

  it('removes an object that a crash left half made', () => {
    w.put('f', 'old');
    fs.writeFileSync(w.full('.retrace/staging/s.part'), 'ne');
    expect(undoTransition(w.root, replacing)).toEqual({ outcome: 'undone' });
    expect(listStaged(w.root)).toEqual([]);
  });
});

describe('classify', () => {
  it('is before for a path below something that is no folder yet', () => {
    w.put('f', 'x');
    fs.symlinkSync('.', w.full('l'));
    for (const path of ['f/x', 'l/x', 'none/x'])
      expect(classify(w.root, { ...replacing, path, from: ABSENT }).position).toBe('before');
  });

  it('is after for equal states', () => {
    w.put('f', 'old');
    expect(classify(w.root, { ...replacing, to: from.file }).position).toBe('after');
  });
});
