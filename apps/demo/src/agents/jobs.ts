import type { Retrace, Session } from '@retrace/client';
import { type Targets, uniqueLine } from '../targets.js';
import { editedLine, textFor } from './texts.js';

export type AgentName = 'researcher' | 'writer' | 'reviewer';

/** What one agent does in its session; the operations are logical operations in this order. */
export type Job = (session: Session, retrace: Retrace, targets: Targets) => Promise<void>;

export const TASKS: Record<AgentName, string> = {
  researcher: 'Collect what is known about sync conflicts',
  writer: 'Write the guide and bring the texts up to date',
  reviewer: 'Review the findings and say what is missing',
};

/** Creates a folder and three files: two calls that are not awaited in between, then one logical operation of two. */
const research: Job = async (session, _retrace, { docs }) => {
  const folder = `${docs}/findings`;
  const why = { reason: 'what the sources say', tool: 'write_file', provenance: { ticket: 'NOTE-7' } };
  const pipelined = [
    session.mkdir(docs, why),
    session.mkdir(folder, why),
    session.create(`${folder}/conflicts.md`, textFor('researcher', `${folder}/conflicts.md`), why),
  ];
  await Promise.all(pipelined);
  await session.apply(
    [`${folder}/formats.md`, `${folder}/open-questions.md`].map((path) => ({
      create: path,
      content: textFor('researcher', path),
    })),
    why,
  );
};

/** Overwrites, edits, deletes and creates. */
const writing: Job = async (session, retrace, targets) => {
  const why = { reason: 'the guide follows the findings', tool: 'write_file', provenance: { user_intent: 'a guide' } };
  for (const path of targets.overwrite) await session.write(path, textFor('writer', path), why);
  for (const path of targets.edit) {
    const { bytes } = await retrace.read(path);
    const line = uniqueLine(Buffer.from(bytes))!;
    await session.edit(path, [{ oldText: line, newText: editedLine('writer', line) }], { ...why, tool: 'edit_file' });
  }
  for (const path of targets.remove)
    await session.delete(path, { ...why, reason: 'nothing refers to it', tool: 'delete_file' });
  const folder = `${targets.docs}/handbook`;
  await session.apply(
    [{ mkdir: folder }, { create: `${folder}/sync.md`, content: textFor('writer', `${folder}/sync.md`) }],
    why,
  );
};

/** Edits what the researcher left and adds a review of its own. */
const review: Job = async (session, _retrace, { docs }) => {
  const why = { reason: 'reviewed', tool: 'edit_file' };
  const findings = `${docs}/findings/conflicts.md`;
  await session.edit(
    findings,
    [{ oldText: 'Written by the researcher.', newText: 'Written by the researcher, checked.' }],
    why,
  );
  const folder = `${docs}/verdicts`;
  await session.mkdir(folder, why);
  await session.create(`${folder}/sync.md`, textFor('reviewer', `${folder}/sync.md`), why);
};

export const JOBS: Record<AgentName, Job> = { researcher: research, writer: writing, reviewer: review };
