import { wildmatch } from './wildmatch.js';

/** One line of an ignore file. All text is bytes as latin1. */
export interface IgnoreRule {
  readonly pattern: string;
  /** `!`: keeps what an earlier rule left out. */
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
  /** Without a slash a pattern is compared with the last name, at any depth. */
  readonly nameOnly: boolean;
  /** Leading characters that are no wildcard: git compares them first, and only the rest as a pattern. */
  readonly plain: number;
}

/** The rules of an ignore file, in its order; as git reads them. */
export const parseIgnoreRules = (text: string): IgnoreRule[] =>
  withoutMark(text)
    .split('\n')
    // A line ends at a NUL, as a C string does, and a carriage return at its end is none of it.
    .map((line) => withoutTrailingSpaces(line.replace(/\r$/, '').replace(/\0.*$/s, '')))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf);

const UTF8_MARK = '\xef\xbb\xbf';
const withoutMark = (text: string): string => (text.startsWith(UTF8_MARK) ? text.slice(UTF8_MARK.length) : text);

/** Spaces at the end count only behind a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === ' ') continue;
    if (line[i] === '\\') i += 1;
    if (i >= line.length) return line;
    end = i + 1;
  }
  return line.slice(0, end);
}

function ruleOf(line: string): IgnoreRule {
  const keeps = line.startsWith('!');
  const text = keeps ? line.slice(1) : line;
  const foldersOnly = text.endsWith('/');
  const pattern = foldersOnly ? text.slice(0, -1) : text;
  const nameOnly = !pattern.includes('/');
  const anchored = !nameOnly && pattern.startsWith('/') ? pattern.slice(1) : pattern;
  const plain = /^[^*?[\\]*/.exec(anchored)![0].length;
  return { pattern: anchored, keeps, foldersOnly, nameOnly, plain };
}

/**
 * What the rules of one folder say of a path below it (relative to that folder): the last that matches decides.
 * Undefined: none does, and the folder above is asked.
 */
export function decide(rules: readonly IgnoreRule[], path: string, isFolder: boolean): 'ignored' | 'kept' | undefined {
  const rule = rules.findLast((one) => matches(one, path, isFolder));
  return rule && (rule.keeps ? 'kept' : 'ignored');
}

function matches({ pattern, foldersOnly, nameOnly, plain }: IgnoreRule, path: string, isFolder: boolean): boolean {
  if (foldersOnly && !isFolder) return false;
  const text = nameOnly ? path.slice(path.lastIndexOf('/') + 1) : path;
  if (plain === pattern.length) return pattern === text;
  if (nameOnly) return wildmatch(pattern, text);
  return text.startsWith(pattern.slice(0, plain)) && wildmatch(pattern.slice(plain), text.slice(plain));
}
