import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { NASTY, TEXTS } from './nasty.js';

/** Which of several ways, places and values; numbers of any size. */
type Picks = readonly number[];

const KEYS = ['__proto__', 'constructor', 'toJSON', '', '\0', 'x'.repeat(1_000), 'agent', 'principal', 'type'];
const HUGE = 180_000;

/** Bytes of a message: the value as it is, changed in some places, or changed as bytes. */
export const bytesOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 10, arbitrary: value.map(encode) },
    { weight: 10, arbitrary: fc.tuple(value, picks).map(([plain, chosen]) => encode(changed(plain, chosen))) },
    { weight: 2, arbitrary: fc.tuple(value, picks).map(([plain, chosen]) => spoiled(encode(plain), chosen)) },
    { weight: 1, arbitrary: fc.constantFrom(...TEXTS).map(toBytes) },
  );

const picks = fc.array(fc.nat(), { minLength: 4, maxLength: 12 });

const toBytes = (text: string | Uint8Array): Uint8Array => (typeof text === 'string' ? Buffer.from(text) : text);

/** A lone surrogate is written as an escape, as JSON allows. */
const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value) ?? 'null');

/** Changes one to three places of a value. */
function changed(value: unknown, chosen: Picks): unknown {
  const root = { root: structuredClone(value) };
  for (let at = 0; at + 3 < chosen.length; at += 4) changeOne(root, chosen.slice(at, at + 4));
  return root.root;
}

type Node = Record<string, unknown>;

function changeOne(root: Node, [where = 0, how = 0, what = 0, more = 0]: Picks): void {
  const places = [...placesIn(root)];
  const place = places[where % places.length];
  if (!place) return;
  const [holder, key] = place;
  // A value of its own each time: it may be changed itself.
  const nasty = structuredClone(NASTY[what % NASTY.length]);
  switch (how % 8) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 1:
      // A list takes no field: one called `constructor` would be asked by its own methods here.
      if (Array.isArray(holder)) return void holder.push(nasty);
      return define(holder, KEYS[more % KEYS.length]!, nasty);
    case 2:
      return define(
        holder,
        key,
        Array.from({ length: (more % 300) + 1 }, () => structuredClone(holder[key])),
      );
    case 3:
      return define(holder, key, { [key]: holder[key] });
    case 4:
      return define(holder, key, more % 40 === 0 ? 'x'.repeat(HUGE) : (JSON.stringify(holder[key]) ?? ''));
    default:
      return define(holder, key, nasty);
  }
}

/** `__proto__` becomes a property like any other. */
const define = (holder: Node, key: string, value: unknown): void =>
  void Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

function* placesIn(holder: Node): Generator<[Node, string]> {
  for (const key of Object.keys(holder)) {
    yield [holder, key];
    const value = holder[key];
    if (typeof value === 'object' && value !== null) yield* placesIn(value as Node);
  }
}

function spoiled(bytes: Uint8Array, [how = 0, where = 0, what = 0]: Picks): Uint8Array {
  const at = bytes.length === 0 ? 0 : where % bytes.length;
  const copy = Buffer.from(bytes);
  switch (how % 5) {
    case 0:
      return copy.subarray(0, at);
    case 1:
      copy[at] = what % 256;
      return copy;
    case 2:
      return gzipSync(copy);
    case 3:
      return Buffer.concat([copy, copy]);
    default:
      return Buffer.concat([
        copy.subarray(0, at),
        toBytes(TEXTS[what % TEXTS.length]!).subarray(0, 2_000),
        copy.subarray(at),
      ]);
  }
}
