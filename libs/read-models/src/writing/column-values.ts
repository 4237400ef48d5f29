import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** What a text may hold that a database cannot: a NUL, or half of a pair that stands for one character. */
const SUSPECT = /[\0\ud800-\udfff]/;
const NUL = '\0';
const NUL_PICTURE = '\u2400';

/**
 * A text as both databases can hold it: SQLite ends it at a NUL where it is read, PostgreSQL takes none, so the NUL's
 * picture stands for it, in keys too; and well-formed.
 */
export function storable(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replaceAll(NUL, NUL_PICTURE).replaceAll(/\p{Cs}/gu, '\ufffd');
}

/** A value as it is bound. JSON needs no care: there a NUL is written as an escape, and comes back whole. */
export function stored({ type }: ColumnMetadata, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'simple-json') return JSON.stringify(value);
  return typeof value === 'string' ? storable(value) : value;
}

/** A bound value as the entity has it. */
export function loaded({ type }: ColumnMetadata, raw: unknown): unknown {
  return type === 'simple-json' && typeof raw === 'string' ? (JSON.parse(raw) as unknown) : raw;
}
