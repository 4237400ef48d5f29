/** Answers whether a subject falls under a NATS filter (`*` one token, a last `>` one or more). */
export function subjectMatches(filter: string, subject: string): boolean {
  const pattern = filter.split('.');
  const tokens = subject.split('.');
  const rest = pattern.at(-1) === '>' ? pattern.length - 1 : -1;
  const lengthFits = rest < 0 ? pattern.length === tokens.length : tokens.length > rest;
  return lengthFits && pattern.every((token, i) => i === rest || token === '*' || token === tokens[i]);
}
