import { RetraceError, type WorkspaceName } from '@retrace/contracts';
import type { Progress } from '../folding/progress.js';
import { LANES, laneOfWorkspace } from '../lanes.js';
import type { LaneEnds } from '../ports/lane-ends.port.js';

const WAIT_MS = 5_000;

/** Lets a query wait for its caller's own writes. */
export class CatchUp {
  constructor(
    private readonly progress: Progress,
    private readonly ends: LaneEnds,
    private readonly waitMs: number = WAIT_MS,
  ) {}

  /**
   * Resolves when all events up to `sequence` that concern the workspace (`_`: any workspace) are folded. Rejects with
   * {@link RetraceError} `not_ready`, with the progress, when they are not within 5 s.
   */
  async until(workspace: WorkspaceName | '_', sequence: number | undefined): Promise<void> {
    if (sequence === undefined || sequence === 0) return;
    const lanes = workspace === '_' ? LANES : [laneOfWorkspace(workspace)];
    const behind = lanes.filter((lane) => this.progress.of(lane).sequence < sequence);
    if (behind.length === 0) return;
    const beyondEnd = sequence > (await this.ends.last());
    await Promise.all(behind.map((lane) => this.lane(lane, sequence, beyondEnd)));
  }

  /** A lane without events up to `sequence` stays behind it for ever: what it has is enough, unless it is yet to come. */
  private async lane(lane: string, sequence: number, beyondEnd: boolean): Promise<void> {
    const target = beyondEnd ? sequence : Math.min(sequence, await this.ends.newestIn(lane));
    if (await this.progress.reached(lane, target, this.waitMs)) return;
    const at = this.progress.of(lane).sequence;
    throw new RetraceError('not_ready', `the read models stand at ${at} and have not reached ${sequence}; ask again`, {
      details: { sequence: at, min_sequence: sequence },
    });
  }
}
