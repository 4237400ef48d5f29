/**
 * Git's `wildmatch`, with the pathname flag: the reference is git's `wildmatch.c`, which decides what a `.gitignore`
 * means. Text and pattern are strings of bytes (latin1), because git's `?` and `[…]` take one byte.
 */
export const wildmatch = (pattern: string, text: string): boolean => match({ pattern, text }, 0, 0) === 'yes';

/** `end`: the text ended first, so no later start can match. `slash`: only a star that passes slashes can go on. */
type Result = 'yes' | 'no' | 'end' | 'slash';

interface Pair {
  readonly pattern: string;
  readonly text: string;
}

function match(pair: Pair, start: number, from: number): Result {
  const { pattern, text } = pair;
  let t = from;
  for (let p = start; p < pattern.length; p++, t++) {
    const wanted = pattern[p];
    if (wanted === '*') return matchStars(pair, start, p, t);
    if (t >= text.length) return 'end';
    if (wanted === '?') {
      if (text[t] === '/') return 'no';
    } else if (wanted === '[') {
      const set = matchSet(pattern, p, text[t]!);
      if (set === undefined) return 'end';
      if (!set.matched || text[t] === '/') return 'no';
      p = set.last;
    } else {
      if (wanted === '\\') p += 1;
      if (pattern[p] !== text[t]) return 'no';
    }
  }
  return t < text.length ? 'no' : 'yes';
}

/** One star stays within a name; two between slashes, or at an end, pass slashes. */
function matchStars(pair: Pair, start: number, first: number, t: number): Result {
  const { pattern, text } = pair;
  let p = first + 1;
  let passes = false;
  if (pattern[p] === '*') {
    while (pattern[p] === '*') p += 1;
    const opens = first - 1 < start || pattern[first - 1] === '/';
    const closes = p === pattern.length || pattern[p] === '/' || pattern.startsWith('\\/', p);
    passes = opens && closes;
    if (passes && pattern[p] === '/' && match(pair, p + 1, t) === 'yes') return 'yes';
  }
  if (p === pattern.length) return passes || !text.includes('/', t) ? 'yes' : 'slash';
  if (!passes && pattern[p] === '/') {
    const slash = text.indexOf('/', t);
    return slash < 0 ? 'end' : match(pair, p, slash);
  }
  return matchRest(pair, p, t, passes);
}

function matchRest(pair: Pair, p: number, from: number, passes: boolean): Result {
  const { text } = pair;
  for (let t = from; t < text.length; t++) {
    const result = match(pair, p, t);
    if (result !== 'no') {
      if (!passes || result !== 'slash') return result;
    } else if (!passes && text[t] === '/') return 'slash';
  }
  return 'end';
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[^ -~\x80-\xff]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** One step of a set: where it ends, whether it took the byte, and the byte that a range could begin with. */
interface Step {
  readonly last: number;
  readonly took: boolean;
  readonly before: string | undefined;
}

/** Undefined: the set has no end, or names a class that does not exist; such a pattern matches nothing. */
function matchSet(pattern: string, open: number, byte: string): { matched: boolean; last: number } | undefined {
  let p = open + 1;
  const negated = pattern[p] === '!' || pattern[p] === '^';
  if (negated) p += 1;
  let took = false;
  let before: string | undefined;
  // A `]` that comes first is one of the set.
  do {
    const step = setStep(pattern, p, byte, before);
    if (!step) return undefined;
    took ||= step.took;
    before = step.before;
    p = step.last + 1;
  } while (pattern[p] !== ']');
  return { matched: took !== negated, last: p };
}

function setStep(pattern: string, p: number, byte: string, before: string | undefined): Step | undefined {
  if (p >= pattern.length) return undefined;
  const next = pattern[p + 1];
  if (pattern[p] === '\\') return next === undefined ? undefined : { last: p + 1, took: byte === next, before: next };
  if (pattern[p] === '-' && before !== undefined && next !== undefined && next !== ']')
    return rangeStep(pattern, p + 1, byte, before);
  if (pattern[p] === '[' && next === ':') return classStep(pattern, p, byte);
  return { last: p, took: byte === pattern[p], before: pattern[p] };
}

function rangeStep(pattern: string, at: number, byte: string, before: string): Step | undefined {
  const last = pattern[at] === '\\' ? at + 1 : at;
  const upper = pattern[last];
  return upper === undefined ? undefined : { last, took: byte >= before && byte <= upper, before: undefined };
}

function classStep(pattern: string, open: number, byte: string): Step | undefined {
  const close = pattern.indexOf(']', open + 2);
  if (close < 0) return undefined;
  // Without `:]` it is a set like any other, which holds a `[`.
  if (close - open < 3 || pattern[close - 1] !== ':') return { last: open, took: byte === '[', before: '[' };
  const known = CLASSES[pattern.slice(open + 2, close - 1)];
  return known && { last: close, took: known.test(byte), before: undefined };
}
