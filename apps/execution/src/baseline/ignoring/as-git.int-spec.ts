import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openWorkspaceRoot } from '@retrace/workspace-fs';
import * as fc from 'fast-check';
import { walk } from '../walk.js';

let top: string;
beforeEach(() => {
  top = fs.mkdtempSync(path.join(os.tmpdir(), 'as-git-'));
});
afterEach(() => fs.rmSync(top, { recursive: true, force: true }));

/** File → content. */
type Tree = Record<string, string>;

/** Fails where a name is a file here and a folder there: such a tree is made without the second. */
function make(root: string, tree: Tree): void {
  for (const [name, content] of Object.entries(tree)) {
    const full = path.join(root, name);
    try {
      fs.mkdirSync(path.dirname(full), { recursive: true });
      fs.writeFileSync(full, content, 'latin1');
    } catch (error) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code!)) throw error;
    }
  }
}

function git(root: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: top, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', ['-C', root, ...args], { env, encoding: 'utf8', stdio: 'pipe' });
}

function gitKeeps(root: string): string[] {
  git(root, 'init', '-q', '.');
  const names = git(root, 'ls-files', '-z', '-co', '--exclude-standard').split('\0');
  return names.filter((name) => name !== '').toSorted();
}

function baselineKeeps(root: string): string[] {
  const opened = openWorkspaceRoot(root);
  const found = [...walk(opened.rootFd)];
  opened.close();
  return found.flatMap((one) => (one.kind === 'file' ? [one.path as string] : [])).toSorted();
}

function baselineSkips(root: string): unknown[] {
  const opened = openWorkspaceRoot(root);
  const found = [...walk(opened.rootFd)].filter(({ kind }) => kind === 'skipped');
  opened.close();
  return found;
}

/** Few characters, so that patterns meet names. */
const name = fc.stringMatching(/^[ab#!c.\- é*?[\]\\]{1,3}$/u).filter((text) => !['.', '..', '.git'].includes(text));
const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

/** The forms that both understand: all of them, as long as a pattern has few stars and no class ends a range. */
const PIECES =
  'a b c a b . - / / * * ** /** **/ ? [ab] [!a] [^b] [a-c] [[:alpha:]] [[:x:]] []a] [a \\ \\* \\? # ! \\# \\! \xc3\xa9';
const piece = fc.constantFrom(...PIECES.split(' '), ' ', '\\ ');
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '!/'),
    fc.array(piece, { maxLength: 5 }),
    fc.constantFrom('', '', '/', ' ', '\r'),
  )
  .map(([head, pieces, tail]) => `${head}${pieces.join('')}${tail}`);
/** Paths of the tree itself, so that many rules have something to say. */
const rulesFor = (files: readonly string[]) => {
  const ofTree = fc
    .tuple(
      fc.constantFrom('', '!', '/', '!/'),
      fc.constantFrom(...files),
      fc.nat(3),
      fc.constantFrom('', '/', '/*', '/**'),
    )
    .map(
      ([head, one, deep, tail]) =>
        `${head}${Buffer.from(
          one
            .split('/')
            .slice(0, deep + 1)
            .join('/'),
        ).toString('latin1')}${tail}`,
    );
  return fc.array(fc.oneof(pattern, ofTree), { maxLength: 6 }).map((lines) => lines.join('\n'));
};

const tree: fc.Arbitrary<Tree> = fc.array(file, { minLength: 1, maxLength: 14 }).chain((files) => {
  const folders = files.flatMap((one) => one.split('/').map((_, i, names) => names.slice(0, i).join('/')));
  const places = fc.uniqueArray(fc.constantFrom('', ...folders), { minLength: 1, maxLength: 4 });
  return fc.tuple(places, fc.array(rulesFor(files), { minLength: 4, maxLength: 4 })).map(([at, rules]) => ({
    ...Object.fromEntries(files.map((one) => [one, ''])),
    ...Object.fromEntries(at.map((folder, i) => [path.posix.join(folder, '.gitignore'), rules[i]!])),
  }));
});

it('of any tree with any ignore files the baseline keeps what git keeps', () => {
  let count = 0;
  let decided = 0;
  fc.assert(
    fc.property(tree, (files) => {
      const root = path.join(top, `${count++}`);
      fs.mkdirSync(root);
      make(root, files);
      const kept = gitKeeps(root);
      expect(baselineKeeps(root)).toEqual(kept);
      if (kept.length < Object.keys(files).length) decided += 1;
      fs.rmSync(root, { recursive: true });
    }),
    { numRuns: 150 },
  );
  // Otherwise the rules had nothing to say.
  expect(decided).toBeGreaterThan(30);
}, 120_000);

it.each<[string, Tree]>([
  [
    'a folder that is let in again below one whose rules leave it out',
    { '.gitignore': 'build/', 'a/.gitignore': '!build/', 'a/build/x': '', 'build/x': '' },
  ],
  ['a file let in again below a folder that is left out', { '.gitignore': 'd/\n!d/keep', 'd/keep': '', 'd/x': '' }],
  [
    'a file let in again below a folder whose entries are left out',
    { '.gitignore': 'd/*\n!d/keep', 'd/keep': '', 'd/x': '' },
  ],
  [
    'spaces and marks',
    { '.gitignore': 'a \nb\\ \n\\#c\n\\!d\n#e', a: '', 'a ': '', 'b ': '', b: '', '#c': '', '!d': '', '#e': '' },
  ],
  [
    'stars across folders',
    { '.gitignore': '**/x\na/**/y\nz/**', x: '', 'q/x': '', 'a/y': '', 'a/b/c/y': '', 'z/k/l': '' },
  ],
  ['an ignore file that is a folder', { '.gitignore/x': '', y: '' }],
  [
    'brackets',
    {
      '.gitignore': 'x[!a]\ny[^a-c]\nz[]-]\n[[:upper:]]\n[!\\!-\\^[:lower:]]q',
      ...Object.fromEntries('xa xb yb yd z] z- za A a +q bq 5q _q éq'.split(' ').map((one) => [one, ''])),
    },
  ],
  [
    'signs of regular expressions',
    {
      '.gitignore': 'a.c\n(b|c)\nd+\n$e^\n{f,g}\nh\\d',
      ...Object.fromEntries('a.c abc (b|c) b d+ dd $e^ e {f,g} f hd h5'.split(' ').map((one) => [one, ''])),
    },
  ],
  ['an ignore file that leaves itself out', { '.gitignore': '.gitignore\n*.o', 'a.o': '', b: '' }],
])('keeps what git keeps: %s', (_, files) => {
  make(top, files);
  expect(baselineKeeps(top)).toEqual(gitKeeps(top));
});

it('an ignore file that is a link has no say', () => {
  make(top, { rules: 'x', x: '' });
  fs.symlinkSync('rules', path.join(top, '.gitignore'));
  expect(baselineKeeps(top)).toContain('x');
});

describe('other than git,', () => {
  it('given a pattern of many stars or bytes, keeps what it names, and tells of the ignore file', () => {
    const long = 'a'.repeat(200);
    make(top, { '.gitignore': `x*x*x*x*z\n${`${long}/`.repeat(6)}`, xxxxz: '', [`${`${long}/`.repeat(6)}y`]: '' });
    const deep = `${`${long}/`.repeat(6)}y`;
    expect([gitKeeps(top), baselineKeeps(top)]).toEqual([['.gitignore'], ['.gitignore', deep, 'xxxxz']]);
    expect(baselineSkips(top)).toEqual([
      {
        kind: 'skipped',
        path: '.gitignore',
        why: 'its pattern in line 1 was passed over: it has over 3 stars; so were others of its patterns',
      },
    ]);
  });

  it('given rules of its own, that are in no .gitignore, or for names in another case, does not heed them', () => {
    make(top, { '.gitignore': 'A', a: '', b: '', c: '' });
    git(top, 'init', '-q', '.');
    git(top, 'config', 'core.ignorecase', 'true');
    git(top, 'config', 'core.excludesFile', path.join(top, '.git/more'));
    make(top, { '.git/info/exclude': 'b', '.git/more': 'c' });
    expect([gitKeeps(top), baselineKeeps(top)]).toEqual([['.gitignore'], ['.gitignore', 'a', 'b', 'c']]);
  });

  it('given a tracked file that a rule names, leaves it out', () => {
    make(top, { '.gitignore': 'a', a: '' });
    git(top, 'init', '-q', '.');
    git(top, 'add', '-f', 'a');
    expect([gitKeeps(top), baselineKeeps(top)]).toEqual([['.gitignore', 'a'], ['.gitignore']]);
  });

  it('given a .retraceignore, heeds it after the .gitignore beside it and before those above', () => {
    make(top, {
      '.gitignore': 'a\nb',
      '.retraceignore': '!a\nc',
      'd/.retraceignore': 'a\n!c',
      ...Object.fromEntries('a b c d/a d/b d/c'.split(' ').map((one) => [one, ''])),
    });
    expect(baselineKeeps(top)).toEqual(['.gitignore', '.retraceignore', 'a', 'd/.retraceignore', 'd/c']);
  });
});
