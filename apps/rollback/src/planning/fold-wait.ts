import { setTimeout as sleep } from 'node:timers/promises';
import { encodeToken, partitionOf, RetraceError, type WorkspaceName } from '@retrace/contracts';
import type { EventLog } from '@retrace/event-log';
import { FOLDED } from '../folding/folded-events.js';
import type { OperationHistory } from '../ports/operation-history.port.js';

const LOOK_AGAIN_MS = 10;

/** An instant of the process's own monotonic clock, in ms. */
export type Deadline = number;
export const deadlineIn = (ms: number): Deadline => performance.now() + ms;

/** Waits a moment before another look. Errors: `not_ready` once the deadline has passed. */
export async function lookAgain(deadline: Deadline, what: string): Promise<void> {
  if (performance.now() >= deadline) throw new RetraceError('not_ready', `${what}; try again in a moment`);
  await sleep(LOOK_AGAIN_MS);
}

/** Waits until the history holds what the log held when it was asked: callers read their own writes. */
export class FoldWait {
  constructor(
    private readonly history: OperationHistory,
    private readonly log: EventLog,
  ) {}

  /** Errors: `not_ready`. */
  async caughtUp(workspace: WorkspaceName, deadline: Deadline): Promise<void> {
    const end = await this.log.lastSequence();
    for (;;) {
      const next = await this.nextUnfolded(workspace);
      if (next === undefined || next > end) return;
      while (this.history.foldedTo(workspace) < next)
        await lookAgain(deadline, `the history of ${workspace} is read up to ${next - 1} of ${end}`);
    }
  }

  private async nextUnfolded(workspace: WorkspaceName): Promise<number | undefined> {
    const prefix = `retrace.event.${partitionOf(workspace)}.${encodeToken(workspace)}.*`;
    const fromSequence = this.history.foldedTo(workspace) + 1;
    for await (const { sequence } of this.log.read({
      fromSequence,
      filters: FOLDED.map((event) => `${prefix}.${event}`),
    }))
      return sequence;
    return undefined;
  }
}
