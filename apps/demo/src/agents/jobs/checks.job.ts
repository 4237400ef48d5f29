import { surely } from '../surely.js';
import { textFor } from '../texts.js';
import type { Job } from './job.js';

export const checksFolder = (docs: string): string => `${docs}/checks`;
export const CHECK_FILES = ['format.test.md', 'links.test.md', 'spelling.test.md', 'notes.md'];

/** Makes test files, and one file that is none. */
export const checks: Job = {
  agent: 'tester',
  task: 'Try the texts out',
  async run({ session, targets: { docs } }) {
    const folder = checksFolder(docs);
    const files = CHECK_FILES.map((name) => `${folder}/${name}`);
    const inputs = files.map((path) => ({ create: path, content: textFor('tester', path) }));
    await surely((intentId) =>
      session.apply([{ mkdir: folder }, ...inputs], { reason: 'to see them fail', tool: 'write_file', intentId }),
    );
  },
};

/** Works on one of the tester's files. */
export const correctCheck: Job = {
  agent: 'reviewer',
  task: 'Put one test right',
  async run({ session, targets: { docs } }) {
    const edits = [{ oldText: 'Written by the tester.', newText: 'Written by the tester, put right.' }];
    const path = `${checksFolder(docs)}/links.test.md`;
    await surely((intentId) => session.edit(path, edits, { reason: 'it tested nothing', tool: 'edit_file', intentId }));
  },
};
