import { join } from 'node:path';
import type { Applied, Session } from '@retrace/client';
import type { IntentId, LogicalOperationId, RollbackPlan, Selection, SessionId } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { Actors } from './actors.js';

export interface Acknowledged {
  readonly intentId: IntentId;
  readonly sequence: number;
}

/**
 * One step of the scenario on its way, in a folder of its own. It may be begun again, by another connection: what was
 * asked before is asked with the same ids, so that nothing of it happens twice.
 */
export class Errand {
  /** What somebody was told, by intent: where it stands in the log. */
  readonly acknowledged = new Map<IntentId, number>();
  private readonly kept: unknown[] = [];
  private next = 0;
  private actors!: Actors;

  constructor(
    readonly root: string,
    readonly folder: string,
  ) {}

  begin(actors: Actors): void {
    this.actors = actors;
    this.next = 0;
  }

  get operator() {
    return this.actors.operator;
  }

  get bus() {
    return this.actors.bus;
  }

  path(name: string): string {
    return `${this.folder}/${name}`;
  }

  file(name: string): string {
    return join(this.root, this.folder, name);
  }

  /** An id that is the same each time the errand is begun. */
  intent(): IntentId {
    return this.keep(() => newId('int'));
  }

  operation(): LogicalOperationId {
    return this.keep(() => newId('lop'));
  }

  /** Once it was answered, the answer holds for those that begin again. */
  async once<T>(ask: () => Promise<T>): Promise<T> {
    const at = this.next++;
    this.kept[at] ??= await ask();
    return this.kept[at] as T;
  }

  async session(): Promise<Session> {
    const sessionId = this.keep<SessionId>(() => newId('ses'));
    // It remembers nothing: begun again it would expect something else.
    return this.actors.agent.openSession({ task: this.folder, sessionId, intentId: this.intent(), remember: false });
  }

  /** Notes what was told: that it was done, or that it was refused. */
  async told<T extends Acknowledged>(intentId: IntentId, answer: (intentId: IntentId) => Promise<T>): Promise<T> {
    try {
      const told = await answer(intentId);
      this.acknowledged.set(intentId, told.sequence);
      return told;
    } catch (error) {
      const { sequence } = error as { sequence?: unknown };
      if (typeof sequence === 'number') this.acknowledged.set(intentId, sequence);
      throw error;
    }
  }

  apply(session: Pick<Session, 'apply'>, operations: Parameters<Session['apply']>[0]): Promise<Applied> {
    return this.told(this.intent(), (intentId) => session.apply(operations, { intentId, reason: this.folder }));
  }

  async undo(selection: Selection) {
    const plan = await this.once<RollbackPlan>(() => this.operator.undoPlan(selection));
    return this.told(this.intent(), (intentId) => this.operator.undo(plan, { intentId }));
  }

  private keep<T>(make: () => T): T {
    const at = this.next++;
    this.kept[at] ??= make();
    return this.kept[at] as T;
  }
}
