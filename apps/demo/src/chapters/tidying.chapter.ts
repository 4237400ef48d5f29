import type { Chapter } from './chapter.js';
import { undo } from './undo.js';

export const tidying: Chapter = {
  title: 'every other verb',
  async play(scene) {
    await scene.work('tidying');
    scene.stage.shadow.tidy();
    scene.expectTree('append, chmod, symlink, recursive copy, folder move, recursive delete, rmdir');
    await undo(scene, ['undo', '--session', scene.sessionOf('tidying')]);
    scene.stage.shadow.untidy();
    scene.expectTree('all of it is undone');
  },
};

export const drafting: Chapter = {
  title: 'logical operations that several intents fill',
  async play(scene) {
    await scene.work('draft');
    scene.stage.shadow.draft();
    scene.expectTree('one was aborted and left nothing, one was committed');
  },
};
