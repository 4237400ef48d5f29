/** The end of an id: ids that were minted at about the same time begin alike. */
export const shortId = (id: string): string => `…${id.slice(-12)}`;
