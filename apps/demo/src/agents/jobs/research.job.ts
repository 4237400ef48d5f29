import { surely } from '../surely.js';
import { textFor } from '../texts.js';
import type { Job } from './job.js';

/** Creates a folder and three files: calls that are not awaited in between, then one logical operation of two. */
export const research: Job = {
  agent: 'researcher',
  task: 'Collect what is known about sync conflicts',
  async run({ session, targets: { docs }, halfway }) {
    const folder = `${docs}/findings`;
    const why = { reason: 'what the sources say', tool: 'write_file', provenance: { ticket: 'NOTE-7' } };
    const first = `${folder}/conflicts.md`;
    await Promise.all([
      surely((intentId) => session.mkdir(docs, { ...why, intentId })),
      surely((intentId) => session.mkdir(folder, { ...why, intentId })),
      surely((intentId) => session.create(first, textFor('researcher', first), { ...why, intentId })),
    ]);
    halfway();
    const rest = [`${folder}/formats.md`, `${folder}/open-questions.md`];
    const inputs = rest.map((path) => ({ create: path, content: textFor('researcher', path) }));
    await surely((intentId) => session.apply(inputs, { ...why, intentId }));
  },
};
