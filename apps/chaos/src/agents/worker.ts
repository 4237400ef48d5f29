import { setTimeout as sleep } from 'node:timers/promises';
import { type Applied, type FileChanges, type Retrace, type Session } from '@retrace/client';
import { type LogicalOperationId, RetraceError } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { Random } from '../random.js';
import type { Asking } from './asking.js';
import { type Chosen, Chooser, type Place } from './chooser.js';

const PAUSE_MS = 300;

const WEIGHTS = { one: 60, several: 10, burst: 8, open: 5, undo: 5, redo: 2, again: 1 } as const;

/** One of the things that an agent does at the same time: a session with paths of its own, and the shared ones. */
export class Worker {
  private session: Session | undefined;
  private readonly chooser: Chooser;
  private readonly done: LogicalOperationId[] = [];
  private readonly undone: LogicalOperationId[] = [];

  constructor(
    private readonly retrace: Retrace,
    private readonly asking: Asking,
    private readonly random: Random,
    place: Place,
  ) {
    this.chooser = new Chooser(random, place);
  }

  async run(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      this.session ??= await this.begin();
      if (this.session) await this.step(this.session);
      else await sleep(PAUSE_MS);
    }
    await this.complete();
  }

  private async step(session: Session): Promise<void> {
    switch (this.random.weighted(WEIGHTS)) {
      case 'one':
        return void (await this.apply(session, session, [this.chooser.one()]));
      case 'several':
        return void (await this.apply(session, session, this.chooser.several()));
      case 'burst':
        return void (await Promise.all(this.chooser.burst().map((one) => this.apply(session, session, [one]))));
      case 'open':
        return this.open(session);
      case 'undo':
        return this.takeBack(this.done, this.undone);
      case 'redo':
        return this.takeBack(this.undone, this.done);
      case 'again':
        return this.complete();
    }
  }

  /** `on`: the session, or a logical operation that it opened. */
  private async apply(session: Session, on: FileChanges, chosen: readonly Chosen[]): Promise<Applied | undefined> {
    const inputs = chosen.map(({ input }) => input);
    const asked = { kind: 'apply', session: session.id, operations: chosen.map((one) => one.asked) } as const;
    const applied = await this.asking.ask(asked, (intentId) => on.apply(inputs, { intentId, reason: 'chaos' }));
    this.chooser.saw(applied, chosen);
    if (applied) this.remember(this.done, applied.logicalOperationId);
    return applied;
  }

  private async open(session: Session): Promise<void> {
    const asked = { session: session.id } as const;
    // Minted once: asked again, it is the same one that is to be opened.
    const logicalOperationId = newId('lop');
    const opened = { timeoutMs: 45_000, logicalOperationId, reason: 'chaos' };
    let operation = session.operation(logicalOperationId);
    const begun = await this.asking.ask({ kind: 'open', ...asked }, async (intentId) => {
      operation = await session.begin({ ...opened, intentId });
      return { kind: 'begun' };
    });
    if (!begun) return;
    let whole = true;
    for (let left = this.random.between(1, 4); left > 0 && whole; left -= 1)
      whole = (await this.apply(session, operation, this.chooser.several())) !== undefined;
    if (whole && this.random.chance(0.7))
      await this.asking.ask({ kind: 'commit', ...asked }, (intentId) => operation.commit({ intentId }));
    else await this.asking.ask({ kind: 'abort', ...asked }, (intentId) => operation.abort({ intentId }));
  }

  private async takeBack(from: LogicalOperationId[], into: LogicalOperationId[]): Promise<void> {
    if (from.length === 0) return;
    const [logical_operation_id] = from.splice(this.random.between(0, from.length - 1), 1);
    try {
      const selection = { by: 'logical_operation', logical_operation_id: logical_operation_id! } as const;
      const plan = await this.retrace.undoPlan(selection, { merge: this.random.chance(0.5) });
      if (plan.step_count === 0) return;
      const report = await this.asking.ask({ kind: 'rollback' }, (intentId) => this.retrace.undo(plan, { intentId }));
      if (report && report.outcome !== 'nothing' && report.outcome !== 'failed')
        this.remember(into, report.logicalOperationId);
    } catch (error) {
      // A plan is no promise: a service that is away, or somebody who was quicker, costs nothing.
      if (!(error instanceof RetraceError)) throw error;
      await sleep(PAUSE_MS);
    }
  }

  private async begin(): Promise<Session | undefined> {
    const session = await this.openSession();
    if (session) await this.apply(session, session, this.chooser.firstly());
    return session;
  }

  private openSession(): Promise<Session | undefined> {
    const sessionId = newId('ses');
    let session: Session | undefined;
    const asked = { kind: 'session.open', session: sessionId } as const;
    return this.asking
      .ask(asked, async (intentId) => {
        session = await this.retrace.openSession({ task: 'chaos', sessionId, intentId });
        return { kind: 'begun' };
      })
      .then(() => session);
  }

  private async complete(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    if (!session) return;
    await this.asking.ask({ kind: 'session.complete', session: session.id }, (intentId) =>
      session.complete({ intentId }),
    );
  }

  private remember(list: LogicalOperationId[], id: LogicalOperationId): void {
    list.push(id);
    if (list.length > 30) list.shift();
  }
}
