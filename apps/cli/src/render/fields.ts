import { plain, wrap } from './text.js';

/** A name and what stands under it; `null` and `undefined` are left out. */
export type Field = readonly [name: string, value: string | number | null | undefined];

/** Renders fields under each other; long values go on below, nothing is cut. */
export function renderFields(fields: readonly Field[], width: number, indent = ''): string {
  const present = fields.filter((field): field is readonly [string, string | number] => field[1] != null);
  const names = Math.max(0, ...present.map(([name]) => name.length)) + 2;
  const room = Math.max(20, width - names - indent.length);
  return present
    .flatMap(([name, value]) =>
      wrap(plain(String(value)), room).map((line, index) =>
        `${indent}${(index === 0 ? name : '').padEnd(names)}${line}`.trimEnd(),
      ),
    )
    .join('\n');
}
