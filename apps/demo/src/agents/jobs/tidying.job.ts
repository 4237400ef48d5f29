import { surely } from '../surely.js';
import { textFor } from '../texts.js';
import type { Job } from './job.js';

/** Every verb that the other jobs do not need. */
export const tidying: Job = {
  agent: 'writer',
  task: 'Tidy up the drafts',
  async run({ session, targets: { docs }, halfway }) {
    const why = { reason: 'drafts have their place', tool: 'shell' };
    const [drafts, copy, archive] = ['drafts', 'drafts-copy', 'archive'].map((name) => `${docs}/${name}`) as [
      string,
      string,
      string,
    ];
    const text = (name: string) => textFor('writer', `${drafts}/${name}`);
    await surely((intentId) => session.mkdir(`${drafts}/old`, { ...why, parents: true, intentId }));
    const inputs = ['one.md', 'old/two.md', 'build.sh'].map((name) => ({
      create: `${drafts}/${name}`,
      content: text(name),
    }));
    await surely((intentId) => session.apply(inputs, { ...why, intentId }));
    await surely((intentId) => session.append(`${drafts}/one.md`, 'More to come.\n', { ...why, intentId }));
    await surely((intentId) => session.chmod(`${drafts}/build.sh`, 0o755, { ...why, intentId }));
    await surely((intentId) => session.symlink(`${drafts}/latest.md`, 'one.md', { ...why, intentId }));
    await surely((intentId) => session.copy(drafts, copy, { ...why, recursive: true, intentId }));
    halfway();
    await surely((intentId) => session.move(drafts, archive, { ...why, intentId }));
    await surely((intentId) => session.move(`${archive}/one.md`, `${archive}/first.md`, { ...why, intentId }));
    await surely((intentId) => session.delete(copy, { ...why, recursive: true, intentId }));
    await surely((intentId) => session.mkdir(`${docs}/empty`, { ...why, intentId }));
    await surely((intentId) => session.rmdir(`${docs}/empty`, { ...why, intentId }));
  },
};
