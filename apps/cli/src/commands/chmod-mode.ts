import { InvalidArgumentError } from 'commander';

/** Permission bits as such, or what becomes of those that a path has. */
export type ModeChange =
  { readonly kind: 'bits'; readonly bits: number } | { readonly kind: 'clauses'; readonly clauses: readonly Clause[] };

export interface Clause {
  /** Of owner, group and others: those that are meant have all three bits set. */
  readonly who: number;
  readonly sign: '+' | '-' | '=';
  /** Of everybody. */
  readonly bits: number;
}

const WHO: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: 0o777 };
const BITS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 };
const CLAUSE = /^([ugoa]*)([+=-])([rwx]*)$/;

/** Reads a mode as chmod takes it: `644`, `+x`, `go-rwx,u+x`. Without a letter in front, everybody is meant. */
export function modeChange(text: string): ModeChange {
  if (/^0?[0-7]{3}$/.test(text)) return { kind: 'bits', bits: Number.parseInt(text, 8) };
  return { kind: 'clauses', clauses: text.split(',').map(clauseOf) };
}

/** Answers the bits that a path with the mode `before` gets; those beyond 0777 cannot be asked for. */
export function changedMode(change: ModeChange, before: number): number {
  if (change.kind === 'bits') return change.bits;
  return change.clauses.reduce(applyClause, before & 0o777);
}

function applyClause(mode: number, { who, sign, bits }: Clause): number {
  const meant = who & bits;
  switch (sign) {
    case '+':
      return mode | meant;
    case '-':
      return mode & ~meant;
    case '=':
      return (mode & ~who) | meant;
  }
}

function clauseOf(text: string): Clause {
  const [, who = '', sign = '', bits = ''] = CLAUSE.exec(text) ?? [];
  if (sign === '' || (bits === '' && sign !== '='))
    throw new InvalidArgumentError('permission bits in octal (644), or such as +x, a-w, go-rwx');
  const all = who === '' ? 'a' : who;
  return { who: sum(all, WHO), sign: sign as Clause['sign'], bits: sum(bits, BITS) };
}

const sum = (letters: string, values: Readonly<Record<string, number>>): number =>
  letters.split('').reduce((total, letter) => total | values[letter]!, 0);
