import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  canonicalPath,
  foldersAbove,
  linkDestination,
  MAX_NAME_BYTES,
  MAX_PATH_BYTES,
  parentPath,
  pathsOverlap,
  WorkspacePathSchema,
} from './workspace-path.js';

const bytes = (text: string): number => new TextEncoder().encode(text).length;

/** Text made of what paths go wrong by. */
const tricky = fc.string({
  unit: fc.oneof(
    fc.constantFrom('/', '.', '..', '//', './', '\0', '\uD800', '\uDC00', '.retrace', ' ', '\n', '\\', 'ä', '😀', '~'),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
  maxLength: 12,
});

describe('canonicalPath', () => {
  it.each([
    ['a', 'a'],
    ['./a', 'a'],
    ['a//b', 'a/b'],
    ['././a/./b', 'a/b'],
    ['a/.b', 'a/.b'],
    ['...', '...'],
    ['..a/b..', '..a/b..'],
    [' a ', ' a '],
    ['a\nb', 'a\nb'],
    ['a\\..\\b', 'a\\..\\b'],
    ['~/a', '~/a'],
    ['.retracer', '.retracer'],
    ['a/.retrace', 'a/.retrace'],
    ['e\u0301', 'e\u0301'],
    ['😀/ä', '😀/ä'],
    ['x'.repeat(MAX_NAME_BYTES), 'x'.repeat(MAX_NAME_BYTES)],
  ])('writes %j as %j', (typed, path) => {
    expect(canonicalPath(typed)).toEqual({ ok: true, path });
  });

  it.each([
    ['', 'path_empty'],
    ['.', 'path_empty'],
    ['./', 'path_empty'],
    ['./.', 'path_empty'],
    ['/', 'path_absolute'],
    ['/etc/passwd', 'path_absolute'],
    ['//a', 'path_absolute'],
    ['..', 'path_escapes'],
    ['../a', 'path_escapes'],
    ['a/../b', 'path_escapes'],
    ['a/b/..', 'path_escapes'],
    ['./../a', 'path_escapes'],
    ['a\0', 'path_nul'],
    ['/\0', 'path_nul'],
    ['a\uD800', 'path_not_unicode'],
    ['a/', 'path_trailing_slash'],
    ['a//', 'path_trailing_slash'],
    ['a/.', 'path_trailing_slash'],
    ['a/./', 'path_trailing_slash'],
    ['.retrace', 'path_control_folder'],
    ['.retrace/staging/x', 'path_control_folder'],
    ['./.retrace', 'path_control_folder'],
    ['x'.repeat(MAX_NAME_BYTES + 1), 'name_too_long'],
    ['ä'.repeat(128), 'name_too_long'],
    ['a/'.repeat(MAX_PATH_BYTES / 2) + 'b', 'path_too_long'],
  ])('refuses %j with %s', (typed, code) => {
    expect(canonicalPath(typed)).toMatchObject({ ok: false, code });
  });

  it('answers only paths that stay below the root, and that it would answer again', () => {
    fc.assert(
      fc.property(tricky, (typed) => {
        const parsed = canonicalPath(typed);
        if (!parsed.ok) return;
        const names = parsed.path.split('/');
        expect(names.every((name) => name !== '' && name !== '.' && name !== '..')).toBe(true);
        expect(names[0]).not.toBe('.retrace');
        expect(parsed.path).not.toContain('\0');
        expect(parsed.path).not.toMatch(/\p{Cs}/u);
        expect(bytes(parsed.path)).toBeLessThanOrEqual(MAX_PATH_BYTES);
        expect(Math.max(...names.map(bytes))).toBeLessThanOrEqual(MAX_NAME_BYTES);
        expect(canonicalPath(parsed.path)).toEqual(parsed);
        expect(WorkspacePathSchema.safeParse(parsed.path).success).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves nothing out but blanks of spelling', () => {
    const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/^\.{1,2}$|[/\0]/.test(text));
    const paths = fc.array(name, { minLength: 1, maxLength: 5 }).filter(([first]) => first !== '.retrace');
    fc.assert(
      fc.property(paths, fc.constantFrom('/', '//', '/./'), (names, separator) => {
        expect(canonicalPath(names.join(separator))).toEqual({ ok: true, path: names.join('/') });
      }),
    );
  });

  it('shortens what it quotes of a long path', () => {
    const refused = canonicalPath(`/${'a'.repeat(5000)}`);
    expect(!refused.ok && refused.message.length).toBeLessThan(300);
  });
});

describe('WorkspacePathSchema', () => {
  it('takes the one spelling only, and says how to write it', () => {
    expect(WorkspacePathSchema.safeParse('a/b').success).toBe(true);
    expect(WorkspacePathSchema.safeParse('./a//b').error?.issues[0]?.message).toBe('write it as a/b');
    expect(WorkspacePathSchema.safeParse('../a').error?.issues[0]?.message).toContain('".."');
  });
});

describe('pathsOverlap', () => {
  it.each([
    ['a', 'a', true],
    ['a', 'a/b', true],
    ['a/b/c', 'a', true],
    ['a', 'ab', false],
    ['a/b', 'a/c', false],
    ['a/b', 'a/bc', false],
  ])('of %s and %s is %s, either way round', (a, b, overlap) => {
    expect(pathsOverlap(a, b)).toBe(overlap);
    expect(pathsOverlap(b, a)).toBe(overlap);
  });
});

describe('parentPath', () => {
  it('names the folder that holds a path', () => {
    expect(parentPath('a/b/c')).toBe('a/b');
    expect(parentPath('a')).toBeUndefined();
  });
});

describe('foldersAbove', () => {
  it('names them from the nearest up', () => {
    expect([...foldersAbove('a/b/c')]).toEqual(['a/b', 'a']);
    expect([...foldersAbove('a')]).toEqual([]);
  });
});

describe('linkDestination', () => {
  it.each([
    ['a/b/l', '../x', { kind: 'path', path: 'a/x' }],
    ['a/l', './/x/./y/', { kind: 'path', path: 'a/x/y' }],
    ['a/l', '..', { kind: 'root' }],
    ['l', '../x', { kind: 'refused', message: 'leads out of the workspace' }],
    ['a/l', '../../a/l', { kind: 'refused', message: 'leads out of the workspace' }],
    ['l', '/etc', { kind: 'refused', message: 'is absolute' }],
    ['a/l', 'b/../x', { kind: 'refused', message: 'goes up again behind a name' }],
    ['a/l', '../.retrace/x', { kind: 'refused', message: expect.stringContaining('belongs to Retrace') }],
  ])('of %s to %s', (path, target, where) => {
    expect(linkDestination(path, target)).toEqual(where);
  });
});
