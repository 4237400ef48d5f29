import { createHash } from 'node:crypto';

/** Bytes of a path that its key keeps: an index entry of PostgreSQL has room for about 2,700 bytes. */
const KEPT_BYTES = 448;

/** A path as indexes hold it: itself, or, where it is long, its beginning and a hash of the whole. */
export function pathKey(path: string): string {
  const kept = beginning(path);
  return kept === path ? path : `${kept}\u2026${createHash('sha256').update(path).digest('hex')}`;
}

/** Keys of all paths below `path` lie in this range, the end excluded; so may some of others. `0` follows `/`. */
export function keysBelow(path: string): { readonly from: string; readonly before: string } {
  const folder = `${path}/`;
  const kept = beginning(folder);
  return kept === folder ? { from: folder, before: `${path}0` } : { from: kept, before: `${kept}\u{10ffff}` };
}

/** As many whole characters as fit. */
function beginning(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= KEPT_BYTES) return text;
  let end = KEPT_BYTES;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
