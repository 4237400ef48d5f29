import { surely } from '../surely.js';
import { textFor } from '../texts.js';
import type { Job } from './job.js';

/** Edits what the researcher left and adds a verdict of its own. */
export const review: Job = {
  agent: 'reviewer',
  task: 'Review the findings and say what is missing',
  async run({ session, targets: { docs }, halfway }) {
    const why = { reason: 'reviewed', tool: 'edit_file' };
    const edits = [{ oldText: 'Written by the researcher.', newText: 'Written by the researcher, checked.' }];
    await surely((intentId) => session.edit(`${docs}/findings/conflicts.md`, edits, { ...why, intentId }));
    halfway();
    const folder = `${docs}/verdicts`;
    const verdict = `${folder}/sync.md`;
    await surely((intentId) => session.mkdir(folder, { ...why, intentId }));
    await surely((intentId) => session.create(verdict, textFor('reviewer', verdict), { ...why, intentId }));
  },
};
