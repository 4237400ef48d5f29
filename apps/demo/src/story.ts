import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Chapter } from './chapters/chapter.js';
import { deleteCreatedTests } from './chapters/created.chapter.js';
import { log } from './chapters/log.chapter.js';
import { register } from './chapters/register.chapter.js';
import { drafting, tidying } from './chapters/tidying.chapter.js';
import { redoWriterSession, undoWriterSession } from './chapters/undo-session.chapter.js';
import { undoStepTwo } from './chapters/undo-step.chapter.js';
import { research, review, trespass, writing } from './chapters/work.chapter.js';
import type { Launcher } from './launchers.js';
import { processesNaming } from './processes.js';
import { type Narrator, Scene } from './scene.js';
import type { Stage } from './stage.js';

const CHAPTERS: readonly Chapter[] = [
  register,
  research,
  writing,
  review,
  trespass,
  log,
  undoStepTwo,
  deleteCreatedTests,
  undoWriterSession,
  redoWriterSession,
  tidying,
  drafting,
];

/** The main job on real files. Throws at the first thing that is not true, named by its chapter. */
export class Story {
  private readonly scene: Scene;

  constructor(stage: Stage, launcher: Launcher, narrator: Narrator) {
    this.scene = new Scene(stage, launcher, narrator);
  }

  /** `signal` ends it at the next chapter; the system is taken down in any case. */
  async tell(signal?: AbortSignal): Promise<void> {
    const { launcher, stage } = this.scene;
    const failure = await failureOf(async () => {
      await named('the system comes up', () => launcher.up(stage.home));
      for (const chapter of CHAPTERS) {
        signal?.throwIfAborted();
        await named(chapter.title, () => this.play(chapter));
      }
    });
    const downFailure = await failureOf(() => named('the system goes down', () => launcher.down(stage.home)));
    // What went wrong first says why; the rest may only follow from it.
    if (failure && downFailure) throw new Error(`${failure.message}\n${downFailure.message}`, { cause: failure });
    const first = failure ?? downFailure;
    if (first) throw first;
    await named('nothing is left', () => this.leftNothing());
  }

  private async play(chapter: Chapter): Promise<void> {
    await chapter.play(this.scene);
    this.scene.matchTree(chapter.title);
  }

  private leftNothing(): Promise<void> {
    const { stage, narrator } = this.scene;
    if (existsSync(join(stage.home, 'runtime.json'))) throw new Error('the system says that it still runs');
    const strangers = processesNaming(stage.home).map(({ pid, command }) => `${pid} ${command}`);
    if (strangers.length > 0) throw new Error(`processes are left: ${strangers.join(', ')}`);
    const tree = this.scene.matchTree('the system is down');
    narrator.step('the system is down', `no process is left, tree ${tree} as expected`);
    return Promise.resolve();
  }
}

/** What `run` rejects with; `undefined` where it does not. */
const failureOf = (run: () => Promise<void>): Promise<Error | undefined> =>
  run().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

/** Runs a step; what goes wrong in it says which one it was. */
async function named(step: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`step "${step}": ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
