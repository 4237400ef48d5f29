import { SafeFsError } from './safe-fs-error.js';

/** One directory entry's name; a Buffer when it is not UTF-8. */
export type Name = string | Buffer;

const SLASH = 0x2f;
const DOT = 0x2e;

export const printable = (name: Name): string => name.toString();

/** What a call takes as a C string: text is handed over as UTF-8 with a NUL behind it, and much faster than bytes. */
export type CString = string | Buffer;

/** Any half of a pair, or one alone; the second pattern tells the two apart, and is slower. */
const SURROGATE = /[\uD800-\uDFFF]/;
const LONE_SURROGATE = /\p{Cs}/u;
const isBadText = (text: string): boolean => text.includes('\0') || (SURROGATE.test(text) && LONE_SURROGATE.test(text));

/**
 * Makes a C string. A NUL would end it early and a lone surrogate would become U+FFFD:
 * either way the kernel would act on another name than the one that was checked.
 * @throws SafeFsError invalid_name
 */
export function cstr(text: Name, call: string): CString {
  const bad = typeof text === 'string' ? isBadText(text) : text.includes(0);
  if (bad) throw new SafeFsError('invalid_name', call, 0, printable(text));
  return typeof text === 'string' ? text : Buffer.concat([text, Buffer.alloc(1)]);
}

const isNoText = (name: string): boolean => name === '' || name === '.' || name === '..' || name.includes('/');

function isNoName(bytes: Buffer): boolean {
  const dots = bytes[0] === DOT && (bytes.length === 1 || (bytes.length === 2 && bytes[1] === DOT));
  return bytes.length === 0 || dots || bytes.includes(SLASH);
}

/**
 * Makes a C string of one entry name: not empty, no slash, neither `.` nor `..`.
 * @throws SafeFsError invalid_name
 */
export function cname(name: Name, call: string): CString {
  if (typeof name === 'string' ? isNoText(name) : isNoName(name))
    throw new SafeFsError('invalid_name', call, 0, printable(name));
  return cstr(name, call);
}

/** Answers the text of these bytes, or undefined when they are not UTF-8. */
export function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
