import type { Chapter } from './chapter.js';
import { undo } from './undo.js';

export const undoStepTwo: Chapter = {
  title: 'step two of the writer is undone',
  async play(scene) {
    const { stage, narrator, cli } = scene;
    const selection = ['--session', scene.sessionOf('writing'), '--step', '2', '--merge'];
    narrator.show(await cli.text(['undo', ...selection, '--dry-run']));
    const { report } = await undo(scene, ['undo', ...selection, '--reason', 'chapter two was right'], {
      kill: 'rollback',
    });
    const guide = `${stage.targets.docs}/handbook/guide.md`;
    if (!report.merged.includes(guide)) throw new Error(`${guide} was not merged: ${JSON.stringify(report)}`);
    stage.shadow.takeBackStepTwo();
    scene.expectTree('only step two of the writer is undone; its later work on the same file is merged');
  },
};
