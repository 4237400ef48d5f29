import * as fc from 'fast-check';
import type { Shape } from '../contract-shapes/shapes.js';
import { NASTY, PATHS } from './nasty.js';
import type { FuzzWords } from './words.js';

/** A value of a shape is this often the right one for its name, where there is one. */
const WORD_WEIGHT = 24;
const FRESH = new Set(['intent_id', 'operation_id', 'logical_operation_id', 'session_id']);
const PATH_NAMES = new Set(['path', 'to', 'from', 'after', 'target']);
const texts = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...NASTY.filter((value) => typeof value === 'string')) },
);

/** Values that a shape allows, and now and then one at its edge. */
export function arbitraryOf(shape: Shape, words: FuzzWords, name = ''): fc.Arbitrary<unknown> {
  const branches = shape.oneOf ?? shape.anyOf;
  if (branches) return fc.oneof(...branches.map((branch) => arbitraryOf(branch, words, name)));
  if ('const' in shape) return fc.constant(shape.const);
  if (shape.properties) return objectOf(shape, words);
  const known = words.of[name];
  const plain = plainOf(shape, words, name);
  if (!known) return plain;
  const weight = FRESH.has(name) && name !== 'session_id' ? 1 : WORD_WEIGHT;
  return fc.oneof(
    { weight, arbitrary: fc.constantFrom(...known) },
    { weight: FRESH.has(name) ? 4 : 1, arbitrary: plain },
  );
}

function objectOf({ properties = {}, required = [] }: Shape, words: FuzzWords): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => [name, arbitraryOf(shape, words, name)]),
  );
  return fc.record(fields, { requiredKeys: [...required] });
}

function plainOf(shape: Shape, words: FuzzWords, name: string): fc.Arbitrary<unknown> {
  if (shape.enum) return fc.constantFrom(...shape.enum);
  switch (shape.type) {
    case 'array':
      return fc.array(arbitraryOf(shape.items ?? {}, words, name), { maxLength: Math.min(4, shape.maxItems ?? 4) });
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return integerOf(shape);
    case 'string':
      return stringOf(shape, name);
    case undefined:
    default:
      return fc.constantFrom(...NASTY);
  }
}

function integerOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Shape): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1_000) }),
    fc.constantFrom(minimum, maximum),
  );
}

const ID = /^\^([a-z]+)_\[0-9a-f\]\{8\}/;

function stringOf(shape: Shape, name: string): fc.Arbitrary<string> {
  const prefix = shape.pattern === undefined ? undefined : ID.exec(shape.pattern)?.[1];
  if (prefix !== undefined) return idOf(prefix);
  if (PATH_NAMES.has(name)) return fc.constantFrom(...PATHS);
  if (shape.pattern !== undefined) return fc.stringMatching(new RegExp(shape.pattern));
  return texts;
}

/** Mostly minted ones; derived ids are for services alone. */
const idOf = (prefix: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.bigInt({ min: 0n, max: 2n ** 120n - 1n }),
      fc.oneof({ weight: 15, arbitrary: fc.constant('7') }, { weight: 1, arbitrary: fc.constant('8') }),
    )
    .map(([number, version]) => {
      const hex = number.toString(16).padStart(30, '0');
      return `${prefix}_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18)}`;
    });
