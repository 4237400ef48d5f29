import type { z } from 'zod';

/** Answers whether a value already is what a schema would make of it; `false` where it cannot tell. */
export type Fits = (value: unknown) => boolean;

type Def = z.core.$ZodTypes['_zod']['def'];
type DefOf<Type extends Def['type']> = Extract<Def, { type: Type }>;

/** What a quick look takes for certain: kinds of values and names of fields, none more and none missing. */
const LOOKS: { readonly [Type in Def['type']]?: (def: DefOf<Type>) => Fits } = {
  string: () => (value) => typeof value === 'string',
  boolean: () => (value) => typeof value === 'boolean',
  null: () => (value) => value === null,
  number: (def) => ('format' in def ? Number.isSafeInteger : Number.isFinite),
  literal: (def) => among(def.values),
  enum: (def) => among(Object.values(def.entries)),
  array: ofArray,
  object: ofObject,
  union: ofUnion,
  nullable: (def) => orNull(shapeOf(def.innerType)),
  optional: (def) => shapeOf(def.innerType),
  // Where it is missing the schema has something to add.
  default: (def) => shapeOf(def.innerType),
};

/**
 * Makes a quick look of a schema: it asks for kinds of values and names of fields alone, so it is enough for what was
 * parsed with the schema before, and no more than a first look for anything else.
 */
export function shapeOf(schema: z.core.$ZodType): Fits {
  const def = defOf<Def>(schema);
  const look = LOOKS[def.type] as ((def: Def) => Fits) | undefined;
  return look ? look(def) : () => false;
}

/** zod's own word for how a schema or a check was made, for those who build on it. */
const defOf = <D>(made: { readonly _zod: { readonly def: unknown } }): D =>
  // oxlint-disable-next-line no-underscore-dangle -- so it is named
  made._zod.def as D;

function among(values: readonly unknown[]): Fits {
  const known = new Set(values);
  return (value) => known.has(value);
}

const orNull =
  (fits: Fits): Fits =>
  (value) =>
    value === null || fits(value);

function ofArray({ element, checks }: DefOf<'array'>): Fits {
  const fits = shapeOf(element);
  const least = Math.max(0, ...(checks ?? []).map(leastOf));
  return (value) => Array.isArray(value) && value.length >= least && value.every(fits);
}

/** How many elements a check asks for. */
function leastOf(check: z.core.$ZodCheck): number {
  const def = defOf<z.core.$ZodCheckDef>(check);
  return def.check === 'min_length' ? (def as z.core.$ZodCheckMinLengthDef).minimum : 0;
}

function ofObject({ shape, catchall }: DefOf<'object'>): Fits {
  if (catchall) return () => false;
  const fields = Object.entries(shape)
    .map(([name, schema]) => ({ name, fits: shapeOf(schema), type: defOf<Def>(schema).type }))
    // What tells the options of a union apart.
    .toSorted((a, b) => Number(b.type === 'literal') - Number(a.type === 'literal'));
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    let found = 0;
    for (const { name, fits, type } of fields) {
      const field = (value as Record<string, unknown>)[name];
      if (field === undefined ? type !== 'optional' : !fits(field)) return false;
      if (field !== undefined) found++;
    }
    // What is not known is left out by the schema.
    return Object.keys(value).length === found;
  };
}

function ofUnion({ options }: DefOf<'union'>): Fits {
  const each = options.map(shapeOf);
  return (value) => each.some((fits) => fits(value));
}
