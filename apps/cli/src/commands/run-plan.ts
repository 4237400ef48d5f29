import type { Retrace, UndoReport } from '@retrace/client';
import { leavesSomething, type RestoreStep, type RollbackPlan } from '@retrace/contracts';
import { EXIT, type ExitCode } from '../exit-code.js';
import type { Invocation } from '../invocation.js';
import { renderPlan, type StepDiff, type Verb } from '../render/plan.render.js';
import { renderUndoReport } from '../render/undo-report.render.js';
import { CommandFailed, UsageError } from '../usage-error.js';
import type { PlanFlags } from './plan-options.js';

/** Diffs of a preview: what a person reads. */
const MAX_DIFFS = 50;

export const EXIT_OF: Readonly<Record<UndoReport['outcome'], ExitCode>> = {
  undone: EXIT.done,
  partial: EXIT.partial,
  nothing: EXIT.nothing,
  failed: EXIT.refused,
};

/** Where nobody can be asked, it must have been said beforehand. Throws {@link UsageError}. */
export function mustBeAsked({ io, globals }: Invocation, { dryRun, yes }: PlanFlags): void {
  if (!dryRun && !yes && (!io.canAsk || globals.json))
    throw new UsageError('nobody can be asked here: give --yes, or --dry-run to see the plan');
}

/** Shows a plan, and unless that is all that is wanted, runs it. */
export async function showAndRun(
  invocation: Invocation,
  retrace: Retrace,
  plan: RollbackPlan,
  { flags, verb }: { flags: PlanFlags; verb: Verb },
): Promise<ExitCode> {
  return flags.dryRun || plan.step_count === 0
    ? showPlan(invocation, retrace, plan, { flags, verb })
    : runPlan(invocation, retrace, plan, { flags, verb });
}

async function showPlan(
  invocation: Invocation,
  retrace: Retrace,
  plan: RollbackPlan,
  { flags, verb }: { flags: PlanFlags; verb: Verb },
): Promise<ExitCode> {
  const diffs = flags.diff ? await diffsOf(invocation, retrace, plan) : null;
  const whole = await withAllSteps(invocation, retrace, plan);
  const raw = !invocation.io.stdoutIsTty;
  invocation.print((screen) => renderPlan(plan, screen, { verb, diffs, raw, hash: true }), {
    plan: whole,
    diffs,
    report: null,
  });
  if (plan.step_count === 0) return EXIT.nothing;
  return leavesSomething(plan.left_out) ? EXIT.partial : EXIT.done;
}

async function runPlan(
  invocation: Invocation,
  retrace: Retrace,
  plan: RollbackPlan,
  { flags, verb }: { flags: PlanFlags; verb: Verb },
): Promise<ExitCode> {
  const { screen, globals } = invocation;
  if (!flags.yes) {
    invocation.tell(renderPlan(plan, screen, { verb, diffs: null, raw: false, hash: false }));
    const question = verb === 'undo' ? 'Undo this?' : 'Redo this?';
    if (!(await invocation.confirm(question))) throw new CommandFailed('declined', 'nothing was changed');
  }
  const done = await retrace.undo(plan, { reason: globals.reason });
  const { sequence, intentId: intent_id, report } = done;
  const whole = await withAllSteps(invocation, retrace, plan);
  invocation.print((to) => renderUndoReport(done, to, verb), {
    plan: whole,
    diffs: null,
    report: { ...report, sequence, intent_id },
  });
  return EXIT_OF[done.outcome];
}

/** Only a reader of JSON wants them all. */
async function withAllSteps({ globals }: Invocation, retrace: Retrace, plan: RollbackPlan): Promise<RollbackPlan> {
  if (!globals.json || plan.steps.length === plan.step_count) return plan;
  const steps: RestoreStep[] = [];
  for await (const step of retrace.planSteps(plan)) steps.push(step);
  return { ...plan, steps };
}

async function diffsOf(invocation: Invocation, retrace: Retrace, plan: RollbackPlan): Promise<StepDiff[]> {
  const wanted = plan.steps.filter(changesText).slice(0, MAX_DIFFS);
  const diffs: StepDiff[] = [];
  for (const { path } of wanted) {
    diffs.push(await diffOf(retrace, plan, path));
    invocation.progress.update(`comparing: ${diffs.length} of ${wanted.length} paths`);
  }
  return diffs;
}

/** A plan is worth showing without a diff that cannot be made. */
const diffOf = (retrace: Retrace, plan: RollbackPlan, path: RestoreStep['path']): Promise<StepDiff> =>
  retrace.planDiff(plan, path).then(
    (diff) => ({ ...diff, problem: null }),
    ({ message }: Error) => ({ path, diff: '', binary: false, truncated: false, problem: message }),
  );

const changesText = ({ expect, restore, moves_to, moves_from }: RestoreStep): boolean =>
  moves_to === undefined && moves_from === undefined && (expect.kind === 'file' || restore.kind === 'file');
