import {
  type LogicalOperationId,
  PlanDiff,
  PlanGet,
  PlanMake,
  PlanSteps,
  type RestoreStep,
  type RollbackPlan,
  type Selection,
  STEPS_PER_PAGE,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { z } from 'zod';
import type { IntentOptions } from '../intents/intent-options.js';
import { as, type IntentSender } from '../intents/intent-sender.js';
import type { UndoReport } from '../intents/settled.js';
import type { Change } from '../memory/session-memory.js';
import { untilKnown } from '../memory/until-known.js';
import { present } from '../operations.js';
import type { Reply, WorkspaceCalls } from '../workspace-calls.js';

export interface PlanOptions {
  /** Not taken back, although selected. */
  readonly except?: readonly Selection[] | undefined;
  /** Three-way merge of text with what was changed since. */
  readonly merge?: boolean | undefined;
  /** Bring it back over whatever stands there, which is stored first. After `merge`, where both are given. */
  readonly force?: boolean | undefined;
  /** Leave out that path alone and undo the rest of its logical operation. */
  readonly skip?: boolean | undefined;
  /** Undo nothing at all where anything would be left out. */
  readonly allOrNone?: boolean | undefined;
}

export interface UndoOptions extends IntentOptions {
  /** Why; recorded. */
  readonly reason?: string | undefined;
}

/** Of an undo that plans and runs in one. */
export interface UndoSelectionOptions extends PlanOptions, UndoOptions {}

export type PlanHash = RollbackPlan['plan_hash'];

/** Plans what is taken back, shows it, and runs it. */
export class Rollbacks {
  constructor(
    private readonly calls: WorkspaceCalls,
    private readonly sender: IntentSender,
    /** Tells the sessions of this connection that any of their paths may change. */
    private readonly beginAnywhere: () => Change,
  ) {}

  plan(selection: Selection, { except, merge, force, skip, allOrNone }: PlanOptions): Promise<RollbackPlan> {
    const options = present({ merge, force, skip, all_or_none: allOrNone });
    const asked = Object.keys(options).length > 0 ? { options } : {};
    const request = { selection, ...(except && { except: [...except] }), ...asked };
    return this.calls.call(PlanMake, request, { timeoutMs: PLANNING_MS });
  }

  /** Every step, in the order in which they run; those that the plan's answer does not hold are read on. */
  async *steps(plan: RollbackPlan | PlanHash): AsyncGenerator<RestoreStep> {
    const { plan_hash, steps, step_count } = typeof plan === 'string' ? await this.get(plan) : plan;
    yield* steps;
    for (let from = steps.length; from < step_count;) {
      const page = await this.calls.call(PlanSteps, { plan_hash, from, limit: STEPS_PER_PAGE });
      if (page.steps.length === 0) return;
      yield* page.steps;
      from += page.steps.length;
    }
  }

  get(plan_hash: PlanHash): Promise<RollbackPlan> {
    return this.calls.call(PlanGet, { plan_hash });
  }

  diff(plan: RollbackPlan | PlanHash, path: string): Reply<typeof PlanDiff> {
    const request: z.input<(typeof PlanDiff)['request']> = { plan_hash: hashOf(plan), path };
    return this.calls.call(PlanDiff, request);
  }

  async run(plan: RollbackPlan | PlanHash, options: UndoOptions): Promise<UndoReport> {
    const { intentId, reason, traceparent } = options;
    const common = { intent_id: intentId ?? newId('int'), ...present({ reason, traceparent }) };
    const intent = { ...common, type: 'rollback' as const, plan_hash: hashOf(plan) };
    const send = () => this.sender.submit(intent, options);
    return as('undo', await untilKnown(this.beginAnywhere(), this.sender, send));
  }

  async undoSelection(selection: Selection, options: UndoSelectionOptions): Promise<UndoReport> {
    return this.run(await this.plan(selection, options), options);
  }

  redo(undone: LogicalOperationId | UndoReport, options: UndoSelectionOptions): Promise<UndoReport> {
    const logical_operation_id = typeof undone === 'string' ? undone : undone.logicalOperationId;
    return this.undoSelection({ by: 'logical_operation', logical_operation_id }, options);
  }
}

/** A plan of 10,000 paths takes its time. */
const PLANNING_MS = 60_000;

const hashOf = (plan: RollbackPlan | PlanHash): PlanHash => (typeof plan === 'string' ? plan : plan.plan_hash);
