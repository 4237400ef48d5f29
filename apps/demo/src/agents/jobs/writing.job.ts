import { uniqueLine } from '../../targets.js';
import { surely } from '../surely.js';
import { editedLine, guideText, lineOf, revised, textFor } from '../texts.js';
import type { Desk, Job } from './job.js';

const why = { reason: 'the guide follows the findings', tool: 'write_file', provenance: { user_intent: 'a guide' } };

/** Its logical operations are the steps that `retrace undo --step` counts: the guide is the first three. */
export const writing: Job = {
  agent: 'writer',
  task: 'Write the guide and bring the texts up to date',
  async run(desk) {
    await guide(desk);
    desk.halfway();
    await texts(desk);
  },
};

/** Step one writes the guide, step two rewrites its second chapter, step three its fifth: the same file. */
async function guide({ session, targets: { docs } }: Desk): Promise<void> {
  const folder = `${docs}/handbook`;
  const path = `${folder}/guide.md`;
  const chapter = (number: number) => [{ oldText: lineOf(number), newText: revised(number) }];
  await surely((intentId) =>
    session.apply([{ mkdir: folder }, { create: path, content: guideText() }], { ...why, intentId }),
  );
  await surely((intentId) =>
    session.apply(
      [
        { edit: path, edits: chapter(2) },
        { create: `${folder}/appendix.md`, content: textFor('writer', `${folder}/appendix.md`) },
      ],
      { ...why, reason: 'chapter two says too little', intentId },
    ),
  );
  await surely((intentId) => session.edit(path, chapter(5), { ...why, tool: 'edit_file', intentId }));
}

/** Overwrites, edits, deletes what stood there, and adds a file of its own. */
async function texts({ session, retrace, targets }: Desk): Promise<void> {
  const glossary = `${targets.docs}/glossary.md`;
  await surely((intentId) => session.create(glossary, textFor('writer', glossary), { ...why, intentId }));
  for (const path of targets.overwrite)
    await surely((intentId) => session.write(path, textFor('writer', path), { ...why, intentId }));
  for (const path of targets.edit) {
    const { bytes } = await retrace.read(path);
    const line = uniqueLine(Buffer.from(bytes))!;
    const edits = [{ oldText: line, newText: editedLine('writer', line) }];
    await surely((intentId) => session.edit(path, edits, { ...why, tool: 'edit_file', intentId }));
  }
  for (const path of targets.remove)
    await surely((intentId) =>
      session.delete(path, { ...why, reason: 'nothing refers to it', tool: 'delete_file', intentId }),
    );
}
