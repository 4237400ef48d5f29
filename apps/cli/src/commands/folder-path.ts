/** A path as shells complete the name of a folder: what stands behind its last slash is nothing. */
export const withoutLastSlash = (typed: string): string => (/[^/]\/+$/.test(typed) ? typed.replace(/\/+$/, '') : typed);
