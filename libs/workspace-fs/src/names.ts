import { SafeFsError } from './safe-fs-error.js';

/** One directory entry's name; a Buffer when it is not UTF-8. */
export type Name = string | Buffer;

const SLASH = 0x2f;
const DOT = 0x2e;

export const printable = (name: Name): string => name.toString();

/**
 * Encodes a C string. A NUL would end it early and a lone surrogate would become U+FFFD:
 * either way the kernel would act on another name than the one that was checked.
 * @throws SafeFsError invalid_name
 */
export function cstr(text: Name, call: string): Buffer {
  const bad = typeof text === 'string' ? text.includes('\0') || /\p{Cs}/u.test(text) : text.includes(0);
  if (bad) throw new SafeFsError('invalid_name', call, 0, printable(text));
  return typeof text === 'string' ? Buffer.from(`${text}\0`) : Buffer.concat([text, Buffer.alloc(1)]);
}

/**
 * Encodes one entry name: not empty, no slash, neither `.` nor `..`.
 * @throws SafeFsError invalid_name
 */
export function cname(name: Name, call: string): Buffer {
  const bytes = cstr(name, call);
  const length = bytes.length - 1;
  const dots = bytes[0] === DOT && (length === 1 || (length === 2 && bytes[1] === DOT));
  if (length === 0 || dots || bytes.includes(SLASH)) throw new SafeFsError('invalid_name', call, 0, printable(name));
  return bytes;
}

/** Answers the text of these bytes, or undefined when they are not UTF-8. */
export function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
