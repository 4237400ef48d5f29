const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{M}|\u200b|\u200d|\ufe0f/u;
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Makes agents' text harmless to a terminal: control characters and direction marks become visible escapes. */
export const plain = (text: string): string =>
  text.replaceAll(UNSAFE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });

const widthOf = (character: string): number => (NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Columns that a text takes on a terminal. */
export const displayWidth = (text: string): number => {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
};

/** Cuts a text to a width, the cut shown as `…`. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Shortens a text in its middle: of a path, where it begins and the name that it ends in matter most. */
export function cutMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const tail = Math.floor(((width - 1) * 3) / 5);
  return cut(text, Math.max(1, width - tail)) + endOf(text, tail);
}

/** As much of the end as fits. */
function endOf(text: string, width: number): string {
  let kept = '';
  let used = 0;
  for (const character of Array.from(text).toReversed()) {
    used += widthOf(character);
    if (used > width) break;
    kept = character + kept;
  }
  return kept;
}

/** Shortens what stands behind the first word in its middle, and keeps a count at the end: `edit docs/…/name.md +3`. */
export function cutAfterWord(text: string, width: number): string {
  const [, word = '', path = '', count = ''] = /^(\S+ )?(.*?)( \+\d+)?$/s.exec(text) ?? [];
  const room = width - displayWidth(word) - displayWidth(count);
  if (displayWidth(text) <= width || room < 4) return cut(text, width);
  return word + cutMiddle(path, room) + count;
}

/** Breaks a text into lines of at most `width`, at spaces where there are some. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) line = longer;
    else {
      if (line !== '') lines.push(line);
      line = hardBreak(word, width, lines);
    }
  }
  return [...lines, line];
}

/** Wraps a text that has lines of its own; each keeps its indent. */
export const wrapLines = (text: string, width: number): string[] =>
  text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)![0].slice(0, width / 2);
      return wrap(plain(line.trim()), width - indent.length).map((part) => `${indent}${part}`.trimEnd());
    });

/** Pushes the full lines of a word that is longer than a line, and answers its rest. */
function hardBreak(word: string, width: number, lines: string[]): string {
  let rest = '';
  for (const character of word) {
    if (displayWidth(rest) + widthOf(character) > width) {
      lines.push(rest);
      rest = '';
    }
    rest += character;
  }
  return rest;
}

/** `2025-01-15 14:30:22`, UTC; on a narrow screen the time alone. */
export const shortTime = (iso: string, width: number): string => {
  const text = new Date(iso).toISOString().slice(0, 19).replace('T', ' ');
  return width < 70 ? text.slice(11) : text;
};

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
