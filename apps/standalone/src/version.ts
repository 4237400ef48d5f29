/** Of the whole system; all packages move together. */
export const VERSION = '0.1.0';
