import type { Retrace, UndoReport } from '@retrace/client';
import { leavesSomething, type RollbackPlan } from '@retrace/contracts';
import { EXIT, type ExitCode } from '../exit-code.js';
import type { Invocation } from '../invocation.js';
import { renderPlan } from '../render/plan.render.js';
import { renderUndoReport } from '../render/undo-report.render.js';
import { CommandFailed, UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';
import { parseReference, selectionOf } from './references.js';

interface UndoFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const EXAMPLES = [
  'retrace undo 1042 --dry-run',
  'retrace undo lop_0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d10',
  'retrace undo ses_0197e1f0-11aa-7c3e-8b4d-6e5f4a3b2c1d --yes --reason "wrong branch"',
];

export const undoCommand: CommandFactory = (runner) =>
  describeCommand('undo', 'take back an operation, a logical operation or a session; shows the plan first', EXAMPLES)
    .argument('<id>', 'op_…, lop_… (of an undo: that redoes), ses_…, or the number of a line of the log')
    .option('--dry-run', 'show the plan, change nothing; exits as the undo would')
    .option('-y, --yes', 'do not ask')
    .action(
      runner.action<UndoFlags, [string]>(async (invocation, flags, text) => {
        const reference = parseReference(text);
        if (!flags.dryRun && !flags.yes && (!invocation.io.canAsk || invocation.globals.json))
          throw new UsageError('nobody can be asked here: give --yes, or --dry-run to see the plan');
        const retrace = await invocation.upToDate();
        const plan = await retrace.undoPlan(await selectionOf(retrace, reference));
        return flags.dryRun || plan.steps.length === 0
          ? showPlan(invocation, plan)
          : runPlan(invocation, retrace, plan, flags);
      }),
    );

function showPlan(invocation: Invocation, plan: RollbackPlan): ExitCode {
  invocation.print((screen) => renderPlan(plan, screen), { plan, report: null });
  if (plan.steps.length === 0) return EXIT.nothing;
  return leavesSomething(plan.left_out) ? EXIT.partial : EXIT.done;
}

async function runPlan(
  invocation: Invocation,
  retrace: Retrace,
  plan: RollbackPlan,
  { yes }: UndoFlags,
): Promise<ExitCode> {
  const { io, screen, globals } = invocation;
  if (!yes) {
    io.writeError(`${renderPlan(plan, screen)}\n`);
    if (!(await io.confirm('Undo this?'))) throw new CommandFailed('declined', 'nothing was changed');
  }
  const done = await retrace.undo(plan, { reason: globals.reason });
  const { sequence, intentId: intent_id, report } = done;
  invocation.print((to) => renderUndoReport(done, to), { plan, report: { ...report, sequence, intent_id } });
  return EXIT_OF[done.outcome];
}

const EXIT_OF: Readonly<Record<UndoReport['outcome'], ExitCode>> = {
  undone: EXIT.done,
  partial: EXIT.partial,
  nothing: EXIT.nothing,
  failed: EXIT.refused,
};
