import { readFile, rename, writeFile } from 'node:fs/promises';

/** Reads all notes; a file that is not there yet holds none. */
export const loadNotes = async (path) => {
  try {
    return JSON.parse(await readFile(path, 'utf8')).notes;
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};

/** Replaces the file as a whole: a crash leaves the old notes or the new ones. */
export const saveNotes = async (path, notes) => {
  const temporary = `${path}.tmp`;
  await writeFile(temporary, `${JSON.stringify({ version: 2, notes }, null, 2)}\n`);
  await rename(temporary, path);
};
