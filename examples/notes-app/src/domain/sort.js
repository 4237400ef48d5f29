/** Newest first; the id breaks ties so that two runs give the same list. */
export const newestFirst = (notes) =>
  notes.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt) || a.id.localeCompare(b.id));

export const byTag = (notes, tag) => notes.filter((note) => note.tags.includes(tag));
