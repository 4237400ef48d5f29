const STOP_WORDS = new Set(['a', 'an', 'and', 'of', 'or', 'the', 'to']);

export const tokenize = (text) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
