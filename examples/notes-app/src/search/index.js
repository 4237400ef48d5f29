import { tokenize } from './tokenize.js';

const TITLE_WEIGHT = 3;

const count = (scores, word, id, weight) => {
  const byNote = scores.get(word) ?? new Map();
  byNote.set(id, (byNote.get(id) ?? 0) + weight);
  scores.set(word, byNote);
};

export const buildIndex = (notes) => {
  const scores = new Map();
  for (const { id, title, body } of notes) {
    for (const word of tokenize(title)) count(scores, word, id, TITLE_WEIGHT);
    for (const word of tokenize(body)) count(scores, word, id, 1);
  }
  return scores;
};

/** Notes that hold every word of the query, best first. */
export const search = (index, query) => {
  const [first, ...rest] = tokenize(query).map((word) => index.get(word) ?? new Map());
  if (!first) return [];
  return [...first.keys()]
    .filter((id) => rest.every((byNote) => byNote.has(id)))
    .map((id) => ({ id, score: [first, ...rest].reduce((sum, byNote) => sum + byNote.get(id), 0) }))
    .toSorted((a, b) => b.score - a.score || a.id.localeCompare(b.id));
};
