import { type Pattern, patternOf } from './pattern.js';
import { type Decision, PatternList } from './pattern-list.js';

/** Bytes of one pattern. */
export const MOST_BYTES_OF_PATTERN = 1000;
/**
 * A name made for it takes a regular expression about its length to the power of the stars: three are a tenth of a second
 * for the longest path there can be, four would be seconds for a single name.
 */
export const MOST_STARS = 3;
export const MOST_PATTERNS = 5000;
/** How much longer than others a pattern of so many stars may take, and what all of a file may take together. */
const WORK = [0, 0, 1, 50];
export const MOST_WORK = 1000;
const MOST_TOLD = 10;

/** What an ignore file says, and the first of its lines that have no say because they ask for too much. */
export interface IgnoreRules {
  readonly empty: boolean;
  readonly passedOver: readonly PassedOver[];
  /**
   * What the last pattern that names a path says; undefined: none does, and the folder above is asked. Of the path's own
   * name, not of the folders that it lies in. The path, relative to the folder of the ignore file, is spelt.
   */
  decide(path: string, isFolder: boolean): Decision;
}

export interface PassedOver {
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

/**
 * The rules of an ignore file, given as bytes in latin1. Globbing is the library `ignore`'s; the differences to git that
 * are left:
 * - patterns over {@link MOST_BYTES_OF_PATTERN} bytes, or with more than {@link MOST_STARS} stars (a star that is a whole
 *   name, and `**` at the end, do not count), and what comes after {@link MOST_PATTERNS} patterns, or after a thousand of
 *   two such stars or twenty of three, is passed over, and told of as skipped;
 * - names are compared by case, whatever `core.ignorecase` says; `core.excludesFile`, `.git/info/exclude` and git's index
 *   (a tracked file is never ignored) have no say;
 * - classes such as `[[:alpha:]]` are those of ASCII, and one is no end of a range (`[a-[:digit:]]`).
 */
export function parseIgnoreRules(text: string): IgnoreRules {
  const patterns: Pattern[] = [];
  const passedOver: PassedOver[] = [];
  const room = new Room();
  for (const [i, raw] of withoutMark(text).split('\n').entries()) {
    const read = readLine(raw, room);
    if (typeof read === 'object') patterns.push(read);
    else if (read !== undefined && passedOver.length < MOST_TOLD) passedOver.push({ line: i + 1, why: read });
  }
  return rulesOf(patterns, passedOver);
}

const UTF8_MARK = '\xef\xbb\xbf';
const withoutMark = (text: string): string => (text.startsWith(UTF8_MARK) ? text.slice(UTF8_MARK.length) : text);

/** A pattern, why it is passed over, or nothing. */
function readLine(raw: string, room: Room): Pattern | string | undefined {
  if (raw.startsWith('#')) return undefined;
  if (raw.length > MOST_BYTES_OF_PATTERN) return `it has over ${MOST_BYTES_OF_PATTERN} bytes`;
  // No name holds a NUL.
  const line = withoutTrailingSpaces(raw.replace(/\r$/, '').replace(/\0.*$/s, ''));
  if (line === '') return undefined;
  if (room.isFull) return `${MOST_PATTERNS} patterns come before it`;
  const pattern = patternOf(line);
  return pattern && (room.refusal(pattern) ?? pattern);
}

/** Spaces at the end count only behind a backslash. */
const withoutTrailingSpaces = (line: string): string => /^(?:\\.|[^ ]| +(?=[^ ]))*/s.exec(line)![0];

/** How much may still come in one file. */
class Room {
  private patterns = 0;
  private work = 0;

  get isFull(): boolean {
    return this.patterns === MOST_PATTERNS;
  }

  refusal({ stars }: Pattern): string | undefined {
    if (stars > MOST_STARS) return `it has over ${MOST_STARS} stars`;
    if (this.work + WORK[stars]! > MOST_WORK) return 'those before it have as many stars as one file may have';
    this.work += WORK[stars]!;
    this.patterns += 1;
    return undefined;
  }
}

function rulesOf(patterns: readonly Pattern[], passedOver: readonly PassedOver[]): IgnoreRules {
  const ofFiles = new PatternList(patterns.filter(({ foldersOnly }) => !foldersOnly));
  const ofFolders = new PatternList(patterns);
  return {
    empty: patterns.length === 0,
    passedOver,
    decide: (path, isFolder) => (isFolder ? ofFolders : ofFiles).decide(path),
  };
}
