import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT } from '@retrace/contracts';
import fs from 'node:fs';
import { stage } from './stage.js';
import { dropStaged, listStaged, openStaged } from './staging.js';
import { statAt } from './stat.js';
import {
  fileOf,
  folderOf,
  linkTo,
  temporaryWorkspace,
  type TemporaryWorkspace,
} from './testing/temporary-workspace.js';
import type { Transition } from './transition.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
});
afterEach(() => w.dispose());

const creating = (to: Transition['to']): Transition => ({ path: 'f', from: ABSENT, to, stageName: 's' });
const bytes = (text: string) => () => Buffer.from(text);
const staged = (): string => w.full('.retrace/staging/s');

describe('stage', () => {
  it('sets exactly the mode that is asked for, whatever the umask', () => {
    const umask = process.umask(0o077);
    try {
      stage(w.root, creating(fileOf('x', 0o4777)), bytes('x'));
      expect(fs.statSync(staged()).mode & 0o7777).toBe(0o4777);
      stage(w.root, creating(folderOf(0o1777)), bytes(''));
      expect(fs.statSync(staged()).mode & 0o7777).toBe(0o1777);
    } finally {
      process.umask(umask);
    }
  });

  it('writes all chunks and links as they are', () => {
    const chunks = ['a', '', 'b'.repeat(300_000)];
    stage(w.root, creating(fileOf(chunks.join(''))), () => chunks.map((chunk) => Buffer.from(chunk)));
    expect(fs.readFileSync(staged(), 'utf8')).toBe(chunks.join(''));
    stage(w.root, { ...creating(linkTo('/no/where')), stageName: 'l' }, bytes(''));
    expect(fs.readlinkSync(w.full('.retrace/staging/l'))).toBe('/no/where');
  });

  it('refuses content that is not the announced one, and leaves nothing', () => {
    expect(() => stage(w.root, creating(fileOf('right')), bytes('wrong'))).toThrow(
      expect.objectContaining({ code: 'content_mismatch' }),
    );
    expect(listStaged(w.root)).toEqual([]);
  });

  it('starts afresh over what a crash left half made or complete', () => {
    fs.writeFileSync(`${staged()}.part`, 'hal');
    stage(w.root, creating(fileOf('half')), bytes('half'));
    stage(w.root, creating(fileOf('half')), bytes('half'));
    expect(listStaged(w.root)).toEqual(['s']);
  });

  it('never removes an object that is not its own: it may be the only copy of a pre-image', () => {
    fs.writeFileSync(staged(), 'precious');
    stage(w.root, creating(fileOf('new')), bytes('new'));
    const kept = listStaged(w.root).find((name) => name !== 's');
    expect(fs.readFileSync(w.full(`.retrace/staging/${String(kept)}`), 'utf8')).toBe('precious');
  });

  it('makes nothing for removals, mode changes and equal states', () => {
    const file = fileOf('x');
    for (const to of [ABSENT, fileOf('x', 0o600), file])
      stage(w.root, { path: 'f', from: file, to, stageName: 's' }, () => {
        throw new Error('no content is needed');
      });
    expect(listStaged(w.root)).toEqual([]);
  });

  it('copies the owner when it may', () => {
    if (process.geteuid?.() !== 0) return;
    w.put('like', '');
    fs.chownSync(w.full('like'), 1234, 4321);
    const like = statAt(w.root.rootFd, 'like');
    for (const to of [fileOf('x', 0o6755), folderOf(), linkTo('x')]) {
      stage(w.root, creating(to), bytes('x'), { like, durability: 'power' });
      expect(fs.lstatSync(staged())).toMatchObject({ uid: 1234, gid: 4321 });
      dropStaged(w.root, 's');
    }
    stage(w.root, creating(fileOf('x', 0o6755)), bytes('x'), { like });
    expect(fs.statSync(staged()).mode & 0o7777).toBe(0o6755);
  });

  it('opens staged files, and only files, for reading', () => {
    stage(w.root, creating(fileOf('x')), bytes('x'));
    const fd = openStaged(w.root, 's');
    expect(fs.readFileSync(fd, 'utf8')).toBe('x');
    fs.closeSync(fd);
    fs.mkdirSync(w.full('.retrace/staging/d'));
    expect(() => openStaged(w.root, 'd')).toThrow(expect.objectContaining({ code: 'unsupported' }));
    dropStaged(w.root, 'd');
    dropStaged(w.root, 'd');
    expect(listStaged(w.root)).toEqual(['s']);
  });

  it.each(['a/b', '..', 'x.part', 'x.kept-00'])('refuses the stage name %j', (stageName) => {
    expect(() => stage(w.root, { ...creating(fileOf('x')), stageName }, bytes('x'))).toThrow(
      expect.objectContaining({ code: 'invalid_name' }),
    );
  });
});
