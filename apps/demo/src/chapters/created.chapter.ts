import { PARTIAL } from '../retrace-cli.js';
import type { Chapter } from './chapter.js';
import { undo } from './undo.js';

/** "Delete the test files you created": not those that somebody changed since, and nobody else's. */
export const deleteCreatedTests: Chapter = {
  title: 'the test files that were created are deleted',
  async play(scene) {
    const { stage } = scene;
    await scene.work('checks');
    await scene.work('correctCheck');
    stage.shadow.check();
    stage.personAdds('checks/mine.test.md', 'A test of my own.\n');
    scene.expectTree('tester made three tests and notes, reviewer corrected one, a person added one');
    const args = ['undo', '--session', scene.sessionOf('checks'), '--created', '--path', '**/*.test.md'];
    const { report } = await undo(scene, args, { status: PARTIAL });
    const kept = report.left_out.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
    if (kept.join() !== 'links.test.md') throw new Error(`left out: ${JSON.stringify(report.left_out)}`);
    stage.shadow.removeCreatedTests();
    scene.expectTree('two tests are gone; the corrected one, the notes and the person’s own stay');
  },
};
