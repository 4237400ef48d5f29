/** What the agents write. No model is called: texts depend on the path alone, so that anybody can tell what to expect. */
export const textFor = (agent: string, path: string): string =>
  `# ${path}\n\nWritten by the ${agent}.\n\nCosts $1 and $& stay as they are.\n`;

/** The line that an edit puts in place of `line`; a second line shows that endings are kept. */
export const editedLine = (agent: string, line: string): string => `${line}\n(edited by the ${agent})`;
