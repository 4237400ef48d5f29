import type { Scene } from '../scene.js';

/** One part of the story. Throws at the first thing that is not true. */
export interface Chapter {
  readonly title: string;
  play(scene: Scene): Promise<void>;
}
