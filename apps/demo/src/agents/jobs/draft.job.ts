import { surely } from '../surely.js';
import { textFor } from '../texts.js';
import type { Job } from './job.js';

/** A logical operation that several intents fill: one is given up, one is kept. */
export const draft: Job = {
  agent: 'writer',
  task: 'Try a chapter on merging',
  async run({ session, targets: { docs } }) {
    const [given, kept] = [`${docs}/given-up`, `${docs}/merging`];
    const aborted = await surely((intentId) => session.begin({ reason: 'a first try', intentId }));
    await surely((intentId) => aborted.mkdir(given, { intentId }));
    await surely((intentId) => aborted.create(`${given}/a.md`, textFor('writer', `${given}/a.md`), { intentId }));
    await surely((intentId) => aborted.abort({ reason: 'it leads nowhere', intentId }));
    const committed = await surely((intentId) => session.begin({ reason: 'a second try', intentId }));
    await surely((intentId) => committed.mkdir(kept, { intentId }));
    await surely((intentId) => committed.create(`${kept}/a.md`, textFor('writer', `${kept}/a.md`), { intentId }));
    await surely((intentId) => committed.commit({ intentId }));
  },
};
