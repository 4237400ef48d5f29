import type { AuthorizedOperation, WorkspacePath } from '@retrace/contracts';
import { isFsError, type Stat } from '@retrace/workspace-fs';
import type { Authority, RestoreOperation } from '../domain/authority.js';
import type { JournalStep, KeptContent } from '../journal/journal-record.js';
import { JournalRoom } from './journal-room.js';
import { journalStep, keptPreImage } from './journal-step.js';
import { planOperation, type Surroundings } from './plan-operation.js';
import { planRestore, Travels } from './plan-restore.js';
import type { PlannedChange } from './planned-change.js';
import { Refused, refusalOf, Stale } from './refusal.js';

/** One step with all that staging, the journal and the record need. */
export interface PlannedStep extends PlannedChange {
  readonly step: JournalStep;
  /** Content that the record keeps for the blob store. */
  readonly kept: readonly KeptContent[];
  readonly stat: Stat | undefined;
}

/** One thing to do, whichever event gave the right to do it. */
type Task = { readonly operation: AuthorizedOperation } | { readonly restore: RestoreOperation };

export const tasksOf = ({ work }: Authority): Task[] =>
  work.kind === 'operation'
    ? work.operations.map((operation) => ({ operation }))
    : work.steps.map((restore) => ({ restore }));

const pathOf = (task: Task): WorkspacePath => ('operation' in task ? task.operation.canonical : task.restore.path);

/** Every path that the work looks at or changes. */
export const pathsOf = ({ work }: Authority): string[] =>
  work.kind === 'operation'
    ? work.operations.flatMap(({ canonical, source }) => (source ? [source.canonical, canonical] : [canonical]))
    : work.steps.map(({ path }) => path);

/** Plans the steps of one logical operation, one task after another. */
export class StepPlanner {
  readonly room = new JournalRoom();
  private readonly travels: Travels;
  /** From path and to path → the name in staging that both halves share. */
  private readonly names = new Map<string, string>();
  private count = 0;

  constructor(
    private readonly authority: Authority,
    private readonly around: Surroundings,
  ) {
    const { work } = authority;
    this.travels = new Travels(work.kind === 'rollback' ? work.steps : []);
  }

  /** The steps of one task on the tree as the earlier ones leave it. Throws {@link Refused} or {@link Stale}; changes nothing. */
  async plan(task: Task, at: number): Promise<PlannedStep[]> {
    try {
      return (await this.changesOf(task)).map((change) => this.asStep(change, at));
    } catch (error) {
      if (error instanceof Stale) throw error;
      // A link on the way: policy judges the path that it leads to. A plan to restore names paths that had no link.
      if (isFsError(error, 'link_refused') && 'operation' in task) throw new Stale(pathOf(task), 'link');
      throw new Refused(refusalOf(error, at, pathOf(task)));
    }
  }

  private changesOf(task: Task): Promise<PlannedChange[]> | PlannedChange[] {
    if ('operation' in task) return planOperation(task.operation, this.around);
    return planRestore(this.authority, task.restore, this.around.tree, this.travels);
  }

  private asStep(change: PlannedChange, at: number): PlannedStep {
    const own = journalStep(this.authority, this.count++, at, change);
    const step = change.moved ? this.half(own, change.moved) : own;
    return { ...change, step, kept: keptPreImage(step, change.from, this.room), stat: change.from.stat };
  }

  private half(step: JournalStep, { half, from, to }: NonNullable<PlannedChange['moved']>): JournalStep {
    const way = `${from}\0${to}`;
    if (half === 'out') this.names.set(way, step.stageName);
    return { ...step, moved: half, stageName: this.names.get(way) ?? step.stageName };
  }
}
