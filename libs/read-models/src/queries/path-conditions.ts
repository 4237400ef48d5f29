import { keysBelow, pathKey } from '../path-key.js';

/** A condition of SQL, and what its names stand for. */
export interface Condition {
  readonly text: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The path, or what lies below it, in a table with path keys: a range that an index can serve. */
export function atOrBelow(alias: string, path: string): Condition {
  const { from, before } = keysBelow(path);
  return {
    text: `((${alias}.pathKey = :key AND ${alias}.path = :path) OR
      (${alias}.pathKey >= :from AND ${alias}.pathKey < :before AND ${alias}.path >= :below AND ${alias}.path < :beyond))`,
    parameters: { ...bounds(path), key: pathKey(path), from, before },
  };
}

/** The same by the path alone. */
export const pathAtOrBelow = (alias: string, path: string): Condition => ({
  text: `(${alias}.path = :path OR (${alias}.path >= :below AND ${alias}.path < :beyond))`,
  parameters: bounds(path),
});

/** `0` is the character after `/`; a pattern would have to be escaped. */
const bounds = (path: string) => ({ path, below: `${path}/`, beyond: `${path}0` });
