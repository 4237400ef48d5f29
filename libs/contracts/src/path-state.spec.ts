import { describe, expect, it } from '@jest/globals';
import {
  ABSENT,
  BlobHashSchema,
  describePathState,
  type PathState,
  PathStateSchema,
  samePathState,
} from './path-state.js';

const hash = BlobHashSchema.parse('ab'.repeat(32));
const file: PathState = { kind: 'file', hash, size: 3, mode: 0o644 };

/** Pairwise different; each differs from its neighbour of the same kind in one field. */
const STATES: readonly PathState[] = [
  ABSENT,
  file,
  { ...file, hash: BlobHashSchema.parse('cd'.repeat(32)) },
  { ...file, size: 4 },
  { ...file, mode: 0o755 },
  { kind: 'directory', mode: 0o755 },
  { kind: 'directory', mode: 0o700 },
  { kind: 'link', target: 'a' },
  { kind: 'link', target: 'b' },
  { kind: 'other', type: 'fifo' },
  { kind: 'other', type: 'socket' },
];

describe('path states', () => {
  it('are the same exactly where every field is', () => {
    for (const [i, a] of STATES.entries())
      for (const [j, b] of STATES.entries()) expect(samePathState(a, structuredClone(b))).toBe(i === j);
  });

  it('survive JSON and the schema unchanged', () => {
    for (const state of STATES) expect(PathStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it('are told apart in words', () => {
    expect(describePathState(file)).toBe('file abababababab (3 bytes, mode 0644)');
    expect(describePathState(ABSENT)).toBe('absent');
    expect(describePathState({ kind: 'directory', mode: 0o1777 })).toBe('directory (mode 1777)');
    expect(describePathState({ kind: 'link', target: 'a "b"\n' })).toBe(String.raw`link to "a \"b\"\n"`);
    expect(describePathState({ kind: 'other', type: 'fifo' })).toBe('fifo');
  });

  it.each([
    ['a mode with a file type in it', { ...file, mode: 0o100644 }],
    ['a negative size', { ...file, size: -1 }],
    ['a size with a fraction', { ...file, size: 1.5 }],
    ['a hash in upper case', { ...file, hash: 'AB'.repeat(32) }],
    ['a short hash', { ...file, hash: 'ab' }],
    ['a kind nobody knows', { kind: 'whiteout' }],
  ])('refuse %s', (_, state) => {
    expect(PathStateSchema.safeParse(state).success).toBe(false);
  });
});
