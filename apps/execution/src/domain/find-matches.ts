export interface Match {
  readonly start: number;
  readonly end: number;
}

const CR = 13;
const LF = 10;

/**
 * Matches of a text, left to right, none overlapping; at most `most` and one. Exact ones; where there are none, or one
 * would cut a CRLF in two, those in which each line ending may be LF or CRLF.
 */
export function findMatches(content: Buffer, pattern: Buffer, most: number): Match[] {
  const exact = findExact(content, pattern, most);
  if (!pattern.includes(LF)) return exact;
  const cuts = pattern[0] === LF && exact.some(({ start }) => content[start - 1] === CR);
  return exact.length > 0 && !cuts ? exact : findAnyEnding(content, pattern, most);
}

function findExact(content: Buffer, pattern: Buffer, most: number): Match[] {
  const found: Match[] = [];
  for (let at = content.indexOf(pattern); at >= 0 && found.length <= most;) {
    found.push({ start: at, end: at + pattern.length });
    at = content.indexOf(pattern, at + pattern.length);
  }
  return found;
}

function findAnyEnding(content: Buffer, pattern: Buffer, most: number): Match[] {
  const lines = splitLines(pattern);
  const found: Match[] = [];
  let at = nextCandidate(content, 0, lines[0]!);
  while (at >= 0 && found.length <= most) {
    const end = matchLines(content, at, lines);
    if (end !== undefined) found.push({ start: at, end });
    at = nextCandidate(content, end ?? at + 1, lines[0]!);
  }
  return found;
}

/** Where the first line stands next; an empty one stands before any line ending. -1: nowhere. */
function nextCandidate(content: Buffer, from: number, first: Buffer): number {
  if (first.length > 0) return content.indexOf(first, from);
  const ending = content.indexOf(LF, from);
  return ending > from && content[ending - 1] === CR ? ending - 1 : ending;
}

/** The text between line endings, LF or CRLF. */
function splitLines(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let at = text.indexOf(LF); at >= 0; at = text.indexOf(LF, start)) {
    lines.push(text.subarray(start, text[at - 1] === CR && at > start ? at - 1 : at));
    start = at + 1;
  }
  return [...lines, text.subarray(start)];
}

function matchLines(content: Buffer, from: number, lines: readonly Buffer[]): number | undefined {
  let at = from;
  for (const [i, line] of lines.entries()) {
    if (i > 0) {
      const ending = endingAt(content, at);
      if (ending === 0) return undefined;
      at += ending;
    }
    if (!standsAt(content, at, line)) return undefined;
    at += line.length;
  }
  return at;
}

function endingAt(content: Buffer, at: number): number {
  if (content[at] === LF) return 1;
  return content[at] === CR && content[at + 1] === LF ? 2 : 0;
}

const standsAt = (content: Buffer, at: number, line: Buffer): boolean =>
  at + line.length <= content.length && content.compare(line, 0, line.length, at, at + line.length) === 0;
