import { type Pattern, patternOf } from './pattern.js';
import { type Decision, PatternList } from './pattern-list.js';

/** Bytes of one pattern. */
export const MOST_BYTES_OF_PATTERN = 1000;
/**
 * A name made for it takes a regular expression about its length to the power of the stars: three are some tenths of a
 * second for the longest path there can be, four would be minutes. So few in a file may have three.
 */
export const MOST_STARS = 3;
export const MOST_WITH_MOST_STARS = 20;
export const MOST_PATTERNS = 5000;

/** What an ignore file says, and which of its lines have no say because they ask for too much. */
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
 *   name, and `**` at the end, do not count), what comes after {@link MOST_PATTERNS} patterns, and after
 *   {@link MOST_WITH_MOST_STARS} with the most stars, is passed over, and told of as skipped;
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
    if (read === undefined) continue;
    if (typeof read === 'string') passedOver.push({ line: i + 1, why: read });
    else patterns.push(read);
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
  const pattern = line === '' ? undefined : patternOf(line);
  return pattern && (room.refusal(pattern) ?? pattern);
}

/** Spaces at the end count only behind a backslash. */
const withoutTrailingSpaces = (line: string): string => /^(?:\\.|[^ ]| +(?=[^ ]))*/s.exec(line)![0];

/** How much may still come in one file. */
class Room {
  private patterns = 0;
  private withMostStars = 0;

  refusal({ stars }: Pattern): string | undefined {
    if (stars > MOST_STARS) return `it has over ${MOST_STARS} stars`;
    if (stars === MOST_STARS && ++this.withMostStars > MOST_WITH_MOST_STARS)
      return `${MOST_WITH_MOST_STARS} before it have ${MOST_STARS} stars, too`;
    return ++this.patterns > MOST_PATTERNS ? `${MOST_PATTERNS} patterns come before it` : undefined;
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
