/** What every path begins with that the glob can name: all of it up to the first sign that is not literal. */
export function literalStart(glob: string): string {
  // Of three stars the dialect's library lets `d/***` name `d` itself.
  if (glob.startsWith('!') || glob.includes('***') || /[\\{]/.test(glob)) return '';
  const anchored = glob.replace(/^\//, '').replace(/\/+$/, '');
  const literal = /^[^*?[\]]*/.exec(anchored)![0];
  // Without a slash before its end a pattern names things at any depth.
  return anchored.includes('/') || glob.startsWith('/') ? literal.replace(/[^/]*$/, '') : '';
}
