import { fileState } from '@retrace/client/testing';
import { ABSENT, type PathState } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import type { FileChange } from './file-change.js';
import { diffOf, textOf } from './file-diff.js';

const change = (before: PathState, after: PathState): FileChange => ({
  path: 'a.md',
  before,
  after,
  moved_from: null,
  moved_to: null,
  copied_from: null,
});
const reading =
  (texts: Record<string, string>) =>
  (state: PathState): Promise<Uint8Array> =>
    Promise.resolve(Buffer.from(state.kind === 'file' ? texts[state.hash[0]!]! : ''));

describe('diffOf', () => {
  it('says that a line has no end', async () => {
    const { diff } = await diffOf(change(fileState('a'), fileState('b')), reading({ a: 'x\n', b: 'x' }));
    expect(diff).toContain('-x\n+x\n\\ No newline at end of file');
  });

  it('reads nothing where the bytes are equal', async () => {
    const read = () => Promise.reject(new Error('read'));
    const other = { ...fileState('a'), mode: 0o755 } as PathState;
    expect(await diffOf(change(fileState('a'), other), read)).toMatchObject({ diff: '', binary: false });
    expect(await diffOf(change(ABSENT, { kind: 'directory', mode: 0o755 }), read)).toMatchObject({ diff: '' });
  });

  it('leaves out what nobody reads', async () => {
    const large = { ...fileState('b'), size: 5 * 1024 * 1024 } as PathState;
    const { left_out } = await diffOf(change(fileState('a'), large), () => Promise.reject(new Error('read')));
    expect(left_out).toBe('over 4 MiB');
  });

  it('ends in time with texts that have nothing in common', async () => {
    const lines = (word: string) => Array.from({ length: 30_000 }, (_, i) => `${word} ${i}`).join('\n');
    const read = reading({ a: lines('one'), b: lines('two') });
    const found = await diffOf(change(fileState('a', 400_000), fileState('b', 400_000)), read, 20);
    expect(found).toMatchObject({ diff: '', left_out: expect.stringContaining('too little in common') });
  });
});

describe('textOf', () => {
  it('takes for text what is UTF-8 without NUL', () => {
    expect(textOf(Buffer.from('\ufeffé'))).toBe('\ufeffé');
    expect(textOf(Buffer.from([0x61, 0]))).toBeUndefined();
    expect(textOf(Buffer.from([0xff, 0xfe]))).toBeUndefined();
  });
});
