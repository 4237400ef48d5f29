const MAX_TITLE = 200;

export const createNote = (draft, id, now) => {
  const title = draft.title.trim();
  if (title === '') throw new Error('A note needs a title');
  if (title.length > MAX_TITLE) throw new Error(`A title has at most ${MAX_TITLE} characters`);
  return { id, title, body: draft.body, tags: uniqueTags(draft.tags ?? []), createdAt: now, updatedAt: now };
};

export const uniqueTags = (tags) =>
  [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].filter((tag) => tag !== '').toSorted((a, b) => a.localeCompare(b));
