/** Alternatives that one glob may come to. */
const MAX_ALTERNATIVES = 256;

/** `{a,b}c` is `ac` and `bc`; braces without a comma, or behind a backslash, stand for themselves. */
export function alternatives(glob: string): string[] {
  const found = firstBraces(glob);
  if (!found) return [glob];
  const { start, end, options } = found;
  const all = options.flatMap((option) => alternatives(`${glob.slice(0, start)}${option}${glob.slice(end + 1)}`));
  return all.slice(0, MAX_ALTERNATIVES);
}

function firstBraces(glob: string): { start: number; end: number; options: string[] } | undefined {
  for (let start = nextOf(glob, '{', 0); start >= 0; start = nextOf(glob, '{', start + 1)) {
    const found = bracesAt(glob, start);
    if (found && found.options.length > 1) return { start, ...found };
  }
  return undefined;
}

function nextOf(glob: string, sign: string, from: number): number {
  for (let at = from; at < glob.length; at++) {
    if (glob[at] === '\\') at++;
    else if (glob[at] === sign) return at;
  }
  return -1;
}

function bracesAt(glob: string, start: number): { end: number; options: string[] } | undefined {
  const options: string[] = [];
  let from = start + 1;
  let depth = 1;
  for (let at = from; at < glob.length; at++) {
    const sign = glob[at];
    if (sign === '\\') at++;
    else if (sign === '{') depth++;
    else if (sign === ',' && depth === 1) {
      options.push(glob.slice(from, at));
      from = at + 1;
    } else if (sign === '}' && --depth === 0) return { end: at, options: [...options, glob.slice(from, at)] };
  }
  return undefined;
}
