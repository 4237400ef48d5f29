import type { EditScript } from '@retrace/contracts';
import { findMatches, type Match } from './find-matches.js';

export type EditResult =
  | { readonly outcome: 'edited'; readonly content: Buffer; readonly matches: number }
  | {
      readonly outcome: 'no_match' | 'ambiguous' | 'too_large';
      readonly edit: number;
      readonly found: number;
      readonly text: string;
    };

const CR = 13;
const LF = 10;
/** A replacement may be longer than what it replaces, and may happen everywhere. */
const MOST_MATCHES = 1_000_000;

/**
 * Runs edits in order on bytes: what lies outside the matched spans stays as it is, whatever its encoding or endings.
 * An `old_text` written with LF also matches CRLF; the new text then takes the endings that it replaces. `$` is a
 * dollar. `most` bounds the result, in bytes.
 */
export function applyEdits(content: Buffer, edits: EditScript['edits'], most = Number.MAX_SAFE_INTEGER): EditResult {
  let matches = 0;
  let current = content;
  for (const [i, edit] of edits.entries()) {
    const found = findMatches(current, Buffer.from(edit.old_text), MOST_MATCHES);
    const refuse = (outcome: 'no_match' | 'ambiguous' | 'too_large') =>
      ({ outcome, edit: i, found: found.length, text: edit.old_text }) as const;
    if (found.length === 0) return refuse('no_match');
    if (found.length > 1 && !edit.all) return refuse('ambiguous');
    if (found.length > MOST_MATCHES) return refuse('too_large');
    const parts = splice(current, found, replacementFor(current, edit.new_text));
    if (lengthOf(parts) > most) return refuse('too_large');
    current = Buffer.concat(parts);
    matches += found.length;
  }
  return { outcome: 'edited', content: current, matches };
}

/** What a match is replaced by: where all line endings it holds are CRLF, the new text's are, too. */
function replacementFor(content: Buffer, text: string): (match: Match) => Buffer {
  const asGiven = Buffer.from(text);
  if (!asGiven.includes(LF)) return () => asGiven;
  const withCrlf = Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'));
  const wholeFile = endingsOf(content);
  return ({ start, end }) => {
    const span = endingsOf(content.subarray(start, end));
    return (span === 'none' ? wholeFile : span) === 'crlf' ? withCrlf : asGiven;
  };
}

function endingsOf(content: Buffer): 'none' | 'crlf' | 'other' {
  let found = false;
  for (let at = content.indexOf(LF); at >= 0; at = content.indexOf(LF, at + 1)) {
    if (content[at - 1] !== CR) return 'other';
    found = true;
  }
  return found ? 'crlf' : 'none';
}

/** The pieces of the result; nothing is copied yet, so that its length is known before it is made. */
function splice(content: Buffer, matches: readonly Match[], replacement: (match: Match) => Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of matches) {
    parts.push(content.subarray(from, match.start), replacement(match));
    from = match.end;
  }
  parts.push(content.subarray(from));
  return parts;
}

const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);
