/**
 * Bytes of names, one letter each, from a range of Unicode that means nothing to anybody: so nothing in a name, or in a
 * pattern that stands for itself, can be taken for a sign of the library or of a regular expression.
 */
const FIRST_LETTER = 0xe000;
const SLASH = 0x2f;

/** The letter of one byte; a slash stays one. */
export const letterOf = (byte: number): string => (byte === SLASH ? '/' : String.fromCharCode(FIRST_LETTER + byte));

/** A name or path as it is compared with patterns. It has as many letters as bytes. */
export const spell = (path: string | Buffer): string =>
  Buffer.from(path as string)
    .toString('latin1')
    .replaceAll(/[^/]/g, (byte) => letterOf(byte.charCodeAt(0)));
