import type { Chapter } from './chapter.js';

export const research: Chapter = {
  title: 'the researcher works',
  async play(scene) {
    await scene.work('research', { kill: 'execution' });
    scene.stage.shadow.research();
    scene.expectTree(`researcher did its work in ${scene.shortSession('research')}`);
  },
};

export const writing: Chapter = {
  title: 'the writer works',
  async play(scene) {
    await scene.work('writing', { kill: 'policy' });
    scene.stage.shadow.write();
    scene.expectTree(`writer did its work in ${scene.shortSession('writing')}`);
  },
};

export const review: Chapter = {
  title: 'the reviewer works',
  async play(scene) {
    await scene.work('review', { kill: 'snapshot' });
    scene.stage.shadow.review();
    scene.expectTree(`reviewer did its work in ${scene.shortSession('review')}`);
  },
};

export const trespass: Chapter = {
  title: 'an agent leaves its scope',
  async play(scene) {
    const lines = await scene.work('trespass');
    const denied = lines.find((line) => 'denied' in line)?.['denied'] as
      { rule: string; message: string; path: string } | undefined;
    if (denied?.rule !== 'others-keep-out') throw new Error(`denied by ${denied?.rule}, not by others-keep-out`);
    scene.expectTree(`researcher is denied ${denied.path} by rule ${denied.rule}`);
    scene.narrator.show(denied.message);
  },
};
