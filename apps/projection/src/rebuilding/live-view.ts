import type { LaneDelivery } from '@retrace/event-log';
import { LiveReadModels } from '@retrace/read-models';
import { Generation } from '../folding/generation.js';
import { Progress } from '../folding/progress.js';

/** What answers at the moment: one generation, until another takes its place. */
export class LiveView {
  readonly models: LiveReadModels;
  readonly progress = new Progress();

  constructor(private generation: Generation) {
    this.models = new LiveReadModels(generation.models);
    this.progress.adopt(generation.progress);
  }

  get current(): Generation {
    return this.generation;
  }

  /** Whether nobody has met the message yet: one that is being built meets old ones again. */
  isNew({ lane, position }: Pick<LaneDelivery, 'lane' | 'position'>): boolean {
    return this.progress.of(lane).sequence < position.sequence;
  }

  /** In one step, so that no question sees less than an earlier one; answers the generation that it replaces. */
  switchTo(next: Generation): Generation {
    const before = this.generation;
    this.generation = next;
    this.models.switchTo(next.models);
    this.progress.adopt(next.progress);
    return before;
  }
}
