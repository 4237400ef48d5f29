/** Version 1 kept tags as one comma-separated string. */
export const migrate = (file) => {
  if (file.version === 2) return file;
  const notes = file.notes.map((note) => ({ ...note, tags: note.tags.split(',').filter(Boolean) }));
  return { version: 2, notes };
};
