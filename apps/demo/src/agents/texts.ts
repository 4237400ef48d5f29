/** What the agents write. No model is called: texts depend on the path alone, so that anybody can tell what to expect. */
export const textFor = (agent: string, path: string): string =>
  `# ${path}\n\nWritten by the ${agent}.\n\nCosts $1 and $& stay as they are.\n`;

/** The line that an edit puts in place of `line`; a second line shows that endings are kept. */
export const editedLine = (agent: string, line: string): string => `${line}\n(edited by the ${agent})`;

const CHAPTERS = [1, 2, 3, 4, 5, 6];

/** What a chapter of the guide says at first, and what a step makes of it. */
export const lineOf = (chapter: number): string => `Chapter ${chapter} is still short.`;
export const revised = (chapter: number): string => `Chapter ${chapter} says it all.\nIt took two lines.`;

/** The guide, with these chapters revised. */
export const guideText = (revisedChapters: readonly number[] = []): string =>
  CHAPTERS.map((chapter) => {
    const line = revisedChapters.includes(chapter) ? revised(chapter) : lineOf(chapter);
    return `## ${chapter}\n\n${line}\n`;
  }).join('\n');
