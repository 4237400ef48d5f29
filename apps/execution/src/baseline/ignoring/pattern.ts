import { bracket } from './bracket.js';
import { letterOf } from './spelling.js';

/** One pattern of an ignore file, for the library and in its words. */
export interface Pattern {
  readonly text: string;
  /** `!`: lets in again what an earlier one left out. */
  readonly keeps: boolean;
  /** It had a slash at its end, which `text` has not. */
  readonly foldersOnly: boolean;
  /** Stars that a regular expression may have to try at every place: each multiplies the time of a name that almost fits. */
  readonly stars: number;
}

const TOKEN =
  /\\(?<escaped>.)|(?<sign>\*+|\?|\/)|\[(?<negation>[!^]?)(?<items>\]?(?:\[:\w*:\]|\\.|[^\]\\])*)\]|(?<plain>[^\\[])/gsy;

/**
 * Reads a line (bytes as latin1) that is neither empty nor a comment, and writes it so that the library `ignore` has
 * nothing to misread: what stands for itself is spelt in letters, brackets are ranges of them, stars are collapsed to
 * one, or to two where they are a whole name of a path. Undefined: it can name nothing.
 */
export function patternOf(line: string): Pattern | undefined {
  const keeps = line.startsWith('!');
  const rest = keeps ? line.slice(1) : line;
  const foldersOnly = rest.endsWith('/');
  const bare = foldersOnly ? rest.slice(0, -1) : rest;
  const anchored = bare.includes('/');
  const text = translated(bare.replace(/^\//, ''));
  if (text === undefined) return undefined;
  const names = text.split('/').map((name) => oneStar(name, anchored));
  if (names.includes('')) return undefined;
  const path = names.filter((name, i) => name !== '**' || names[i - 1] !== '**');
  return { text: placed(path, anchored), keeps, foldersOnly, stars: starsOf(path) };
}

function translated(text: string): string | undefined {
  let read = 0;
  let written = '';
  for (const { 0: token, groups } of text.matchAll(TOKEN)) {
    const part = tokenFor(groups!);
    if (part === undefined) return undefined;
    read += token.length;
    written += part;
  }
  // A bracket that is not closed, or a backslash with nothing behind it.
  return read === text.length ? written : undefined;
}

function tokenFor({ escaped, sign, negation, items, plain }: Record<string, string | undefined>): string | undefined {
  if (sign !== undefined) return sign;
  if (items !== undefined) return bracket(items, negation !== '');
  return letterOf((escaped ?? plain)!.charCodeAt(0));
}

/** Two stars pass slashes only as a name of their own, in a pattern that has a slash. */
const oneStar = (name: string, anchored: boolean): string =>
  anchored && /^\*{2,}$/.test(name) ? '**' : name.replaceAll(/\*+/g, '*');

/** To the library a slash at the beginning says what one in the middle says to git: from the folder of the file on. */
function placed(names: readonly string[], anchored: boolean): string {
  const [first, second] = names;
  if (!anchored) return first!;
  if (first !== '**') return `/${names.join('/')}`;
  if (second === undefined) return '*';
  return names.length === 2 ? second : names.join('/');
}

function starsOf(names: readonly string[]): number {
  const within = names.map((name) => (/^\*+$/.test(name) ? 0 : name.split('*').length - 1));
  const across = names.filter((name, i) => name === '**' && i < names.length - 1);
  return within.reduce((sum, stars) => sum + stars, across.length);
}
