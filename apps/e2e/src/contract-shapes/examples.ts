import type { Shape } from './shapes.js';

/** Values for properties of a name. */
export type Words = Readonly<Record<string, readonly unknown[]>>;

/**
 * Values of a shape: each branch of a union, each word for a property, the smallest object and the fullest. What has no word
 * is the plainest value of its type.
 */
export function examplesOf(shape: Shape, words: Words, name = ''): readonly unknown[] {
  const branches = shape.oneOf ?? shape.anyOf;
  if (branches) return branches.flatMap((branch) => examplesOf(branch, words, name));
  if ('const' in shape) return [shape.const];
  if (shape.properties || shape.type === 'object') return objectsOf(shape, words);
  const known = Object.hasOwn(words, name) ? words[name]!.filter((word) => fits(shape, word)) : [];
  if (known.length > 0) return known;
  if (shape.enum) return shape.enum;
  if (shape.type === 'array') return [examplesOf(shape.items ?? {}, words, name).slice(0, 50)];
  return [plain(shape)];
}

function objectsOf({ properties = {}, required = [] }: Shape, words: Words): readonly unknown[] {
  const values = Object.entries(properties).map(([name, shape]) => [name, examplesOf(shape, words, name)] as const);
  const first = (chosen: typeof values) => Object.fromEntries(chosen.map(([name, all]) => [name, all[0]]));
  const least = first(values.filter(([name]) => required.includes(name)));
  const others = values.flatMap(([name, all]) =>
    all.slice(required.includes(name) ? 1 : 0).map((value) => ({ ...least, [name]: value })),
  );
  return [least, ...others, first(values)];
}

function fits(shape: Shape, word: unknown): boolean {
  if (shape.type === 'array') return Array.isArray(word);
  if (shape.type === 'integer' || shape.type === 'number')
    return typeof word === 'number' && word <= (shape.maximum ?? Infinity);
  if (shape.type !== 'string') return false;
  return typeof word === 'string' && (shape.pattern === undefined || new RegExp(shape.pattern, 'u').test(word));
}

function plain(shape: Shape): unknown {
  if (shape.type === 'integer' || shape.type === 'number') return shape.minimum ?? 0;
  if (shape.type === 'boolean') return true;
  return 'x'.repeat(shape.minLength ?? 1);
}
