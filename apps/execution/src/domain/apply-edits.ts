import type { EditScript } from '@retrace/contracts';

export type EditResult =
  | { readonly outcome: 'edited'; readonly content: Buffer; readonly matches: number }
  | {
      readonly outcome: 'no_match' | 'ambiguous';
      readonly edit: number;
      readonly found: number;
      readonly text: string;
    };

interface Match {
  readonly start: number;
  readonly end: number;
}

const CR = 13;
const LF = 10;

/**
 * Runs edits in order on bytes: what lies outside the matched spans stays as it is, whatever its encoding or endings.
 * An `old_text` written with LF also matches CRLF; the new text then takes the file's endings. `$` is a dollar.
 */
export function applyEdits(content: Buffer, edits: EditScript['edits']): EditResult {
  let matches = 0;
  let current = content;
  for (const [i, edit] of edits.entries()) {
    const found = findAll(current, Buffer.from(edit.old_text));
    if (found.length === 0) return { outcome: 'no_match', edit: i, found: 0, text: edit.old_text };
    if (found.length > 1 && !edit.all)
      return { outcome: 'ambiguous', edit: i, found: found.length, text: edit.old_text };
    const replacement = withEndingsOf(current, edit.new_text);
    current = splice(current, found, replacement);
    matches += found.length;
  }
  return { outcome: 'edited', content: current, matches };
}

/** Exact matches; where there are none, matches in which each line ending may be LF or CRLF. */
function findAll(content: Buffer, pattern: Buffer): Match[] {
  const exact = findExact(content, pattern);
  return exact.length > 0 || !pattern.includes(LF) ? exact : findAnyEnding(content, pattern);
}

function findExact(content: Buffer, pattern: Buffer): Match[] {
  const found: Match[] = [];
  for (let at = content.indexOf(pattern); at >= 0; at = content.indexOf(pattern, at + pattern.length))
    found.push({ start: at, end: at + pattern.length });
  return found;
}

function findAnyEnding(content: Buffer, pattern: Buffer): Match[] {
  const lines = splitLines(pattern);
  const found: Match[] = [];
  for (let at = 0; at < content.length;) {
    const end = matchLines(content, at, lines);
    if (end === undefined) at += 1;
    else {
      found.push({ start: at, end });
      at = end;
    }
  }
  return found;
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
      if (content[at] === CR && content[at + 1] === LF) at += 2;
      else if (content[at] === LF) at += 1;
      else return undefined;
    }
    if (content.compare(line, 0, line.length, at, Math.min(at + line.length, content.length)) !== 0) return undefined;
    at += line.length;
  }
  return at;
}

/** A file all of whose lines end in CRLF keeps them so; in any other the new text is taken as it is. */
function withEndingsOf(content: Buffer, text: string): Buffer {
  return allCrlf(content) ? Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')) : Buffer.from(text);
}

function allCrlf(content: Buffer): boolean {
  let lines = 0;
  for (let at = content.indexOf(LF); at >= 0; at = content.indexOf(LF, at + 1)) {
    if (content[at - 1] !== CR) return false;
    lines += 1;
  }
  return lines > 0;
}

function splice(content: Buffer, matches: readonly Match[], replacement: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end } of matches) {
    parts.push(content.subarray(from, start), replacement);
    from = end;
  }
  return Buffer.concat([...parts, content.subarray(from)]);
}
