/**
 * The longest text that every path named by a pattern holds as it stands: looking for it costs next to nothing, and most
 * paths hold it for no pattern of a rule. Signs that mean something to gitignore, and blanks, which it may cut off, end it.
 */
export function literalOf(pattern: string): string {
  // A sign in brackets may be one of several: nothing is certain then.
  if (/[[\]\\]/.test(pattern)) return '';
  const runs = pattern.split(/[*?/!\s]+/);
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}
