import { diff3Merge } from 'node-diff3';

export type TextMerge =
  { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly reason: string };

/** Larger contents are not merged. */
export const MAX_MERGE_BYTES = 4 * 1024 * 1024;

/** Three contents: `base` is what both sides began with. */
export interface Sides<Content> {
  readonly base: Content;
  readonly ours: Content;
  readonly theirs: Content;
}

/** Merges texts line by line; the end of a line, CRLF or LF, is a part of it. What is no text is not merged. */
export function mergeTexts(sides: Sides<Uint8Array>): TextMerge {
  const base = linesOf(sides.base);
  const ours = linesOf(sides.ours);
  const theirs = linesOf(sides.theirs);
  if (!base || !ours || !theirs) return { ok: false, reason: 'it is no text (UTF-8 without NUL)' };
  const merged: string[] = [];
  for (const { ok, conflict } of diff3Merge(ours, base, theirs, { excludeFalseConflicts: true })) {
    if (conflict) return { ok: false, reason: conflictAt(conflict) };
    for (const line of ok ?? []) merged.push(line);
  }
  return { ok: true, bytes: new TextEncoder().encode(merged.join('')) };
}

/** Lines with their ends; `undefined` where the bytes are no text. */
export function linesOf(bytes: Uint8Array): string[] | undefined {
  const text = textOf(bytes);
  return text === undefined ? undefined : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

/** A byte-order mark stays in the text, so that it is written again. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const conflictAt = ({ aIndex, a }: { readonly aIndex: number; readonly a: readonly string[] }): string =>
  a.length > 1
    ? `lines ${aIndex + 1} to ${aIndex + a.length} were changed again later`
    : `line ${aIndex + 1} was changed again later`;
