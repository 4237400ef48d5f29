import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT } from '@retrace/contracts';
import fs from 'node:fs';
import { needsInPlace, statAt } from './stat.js';
import { fileOf, temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';
import type { Transition } from './transition.js';
import { writeInPlace } from './write-in-place.js';

let w: TemporaryWorkspace;
beforeEach(() => {
  w = temporaryWorkspace();
  w.put('a', 'old content', 0o644);
  fs.linkSync(w.full('a'), w.full('b'));
});
afterEach(() => w.dispose());

const read = (name: string): string => fs.readFileSync(w.full(name), 'utf8');
const writing = (content: string, mode = 0o644): Transition => ({
  path: 'a',
  from: fileOf('old content'),
  to: fileOf(content, mode),
  stageName: 's',
});
const bytes = (text: string) => () => [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))];

describe('writeInPlace', () => {
  it.each(['new', 'much longer than before', ''])('keeps all names of the file: %j', (content) => {
    expect(needsInPlace(statAt(w.root.rootFd, 'a'))).toBe(true);
    const { ino } = fs.statSync(w.full('a'));
    expect(writeInPlace(w.root, writing(content, 0o4755), bytes(content), { durability: 'power' })).toEqual({
      outcome: 'applied',
    });
    expect([read('a'), read('b')]).toEqual([content, content]);
    expect(fs.statSync(w.full('b'))).toMatchObject({ ino, mode: 0o104755, nlink: 2 });
  });

  it('leaves a file that is not as expected', () => {
    fs.appendFileSync(w.full('b'), '!');
    expect(writeInPlace(w.root, writing('new'), bytes('new'))).toEqual({
      outcome: 'changed',
      found: fileOf('old content!'),
    });
    expect(read('a')).toBe('old content!');
  });

  it('checks the content before it writes the first byte', () => {
    expect(() => writeInPlace(w.root, writing('new'), bytes('not new'))).toThrow(
      expect.objectContaining({ code: 'content_mismatch' }),
    );
    expect(read('a')).toBe('old content');
  });

  it('never follows a link', () => {
    fs.writeFileSync(`${w.outside}/f`, 'old content');
    fs.unlinkSync(w.full('a'));
    fs.symlinkSync('../outside/f', w.full('a'));
    expect(writeInPlace(w.root, writing('new'), bytes('new'))).toMatchObject({ outcome: 'changed' });
    expect(fs.readFileSync(`${w.outside}/f`, 'utf8')).toBe('old content');
  });

  it('is for files', () => {
    expect(() => writeInPlace(w.root, { ...writing('x'), to: ABSENT }, bytes('x'))).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
  });
});
