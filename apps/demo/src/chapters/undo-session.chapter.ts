import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTIAL } from '../retrace-cli.js';
import type { Chapter } from './chapter.js';
import { undo } from './undo.js';

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** A person has edited one of the writer's files meanwhile: that one stays, and the report says so with both hashes. */
export const undoWriterSession: Chapter = {
  title: "the writer's session is undone",
  async play(scene) {
    const { stage, narrator, cli } = scene;
    const glossary = `${stage.targets.docs}/glossary.md`;
    const written = hashOf(join(stage.workspace, glossary));
    stage.personAdds('glossary.md', 'What I know better.\n');
    const found = hashOf(join(stage.workspace, glossary));
    const args = ['undo', '--session', scene.sessionOf('writing')];
    const { report } = await undo(scene, [...args, '--reason', 'the guide comes later'], { status: PARTIAL });
    const outside = report.left_out.filter(({ why }) => why === 'outside');
    const [left] = outside;
    if (outside.length !== 1 || left?.path !== glossary || left.expected.hash !== written || left.found.hash !== found)
      throw new Error(`left out: ${JSON.stringify(report.left_out)}`);
    stage.shadow.takeBackWriting(stage.original);
    scene.expectTree("the writer's session is undone; the person's edit and everybody else's work stay");
    narrator.show(`${glossary}: expected ${written.slice(0, 12)}…, found ${found.slice(0, 12)}…`);
    narrator.show(await cli.text(['log', '--limit', '2']));
  },
};

export const redoWriterSession: Chapter = {
  title: 'the undo is undone',
  async play(scene) {
    await undo(scene, ['redo']);
    scene.stage.shadow.redoWriting();
    scene.expectTree('the undo is undone: the writer’s work is back, chapter two as it was before');
  },
};
