import { letterOf } from './spelling.js';

/** The classes of POSIX in ASCII: what a byte beyond it is depends on a locale, and a byte is no character. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // oxlint-disable-next-line no-control-regex -- that is what the class holds
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /\d/,
  graph: /[\x21-\x7e]/,
  lower: /[a-z]/,
  print: /[\x20-\x7e]/,
  punct: /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

const ITEM = /\[:(?<class>\w*):\]|(?<from>\\.|[^\\])(?:-(?<to>\\.|[^\\]))?/gs;

/**
 * What stands between brackets, written for the library: as ranges of letters, without negation, which it does not know.
 * Undefined: no name can hold what it asks for (an unknown class, a range that runs backwards).
 */
export function bracket(items: string, negated: boolean): string | undefined {
  const named = new Set<number>();
  for (const { groups } of items.matchAll(ITEM)) {
    const bytes = bytesOf(groups!);
    if (!bytes) return undefined;
    bytes.forEach((byte) => named.add(byte));
  }
  const ranges = rangesOf(NAME_BYTES.filter((byte) => named.has(byte) !== negated));
  return ranges === '' ? undefined : `[${ranges}]`;
}

/** All that a name can hold: neither NUL nor a slash. */
const NAME_BYTES = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0 && byte !== 0x2f);

function bytesOf(item: Readonly<Record<string, string | undefined>>): number[] | undefined {
  if (item['class'] !== undefined) {
    const known = CLASSES[item['class']];
    return known && NAME_BYTES.filter((byte) => known.test(String.fromCharCode(byte)));
  }
  const first = item['from']!.slice(-1).charCodeAt(0);
  const last = (item['to'] ?? item['from']!).slice(-1).charCodeAt(0);
  return NAME_BYTES.filter((byte) => first <= byte && byte <= last);
}

const rangesOf = (bytes: readonly number[]): string =>
  bytes
    .map((byte, i) => {
      const [begins, ends] = [bytes[i - 1] !== byte - 1, bytes[i + 1] !== byte + 1];
      if (begins) return ends ? letterOf(byte) : `${letterOf(byte)}-`;
      return ends ? letterOf(byte) : '';
    })
    .join('');
