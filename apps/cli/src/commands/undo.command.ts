import { PlanGet, PrincipalSchema, RollbackPlanSchema } from '@retrace/contracts';
import { by, wholeNumber } from '../globals.js';
import type { Invocation } from '../invocation.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';
import { MOMENT_HELP, place } from './moment.js';
import { type PlanFlags, planOptions, withPlanOptions } from './plan-options.js';
import { mustBeAsked, showAndRun } from './run-plan.js';
import { checkSelection, type SelectionFlags, type SelectionWords, undoSelection } from './undo-selection.js';

interface UndoFlags extends PlanFlags, SelectionFlags {
  readonly plan?: string;
}

const EXAMPLES = [
  'retrace undo 1042 --dry-run',
  'retrace undo --session ses_0197e1f0-11aa-7c3e-8b4d-6e5f4a3b2c1d --yes --reason "wrong branch"',
  'retrace undo --step 2',
  `retrace undo --agent writer --since 2h --except-path 'docs/**'`,
  `retrace undo --path 'src/**/*.ts' --merge`,
  'retrace undo --file "a[1].md" --since 1042',
  `retrace undo --created --path 'build/**'`,
  'retrace undo --plan 3f1c… --yes',
];

const NOTE = `
What is taken back is what was recorded: paths count from the root of the workspace, whatever folder this is run in.
--step and --created without --session mean RETRACE_SESSION, else the newest session that changed something. An undo
is a logical operation of its own: retrace redo takes it back.`;

export const undoCommand: CommandFactory = (runner) =>
  withPlanOptions(
    describeCommand('undo', EXAMPLES, NOTE)
      .argument('[id]', 'op_…, lop_…, ses_…, or the number of a line of the log')
      .optionsGroup('What to take back (--session alone: all of it):')
      .option('--step <number>', 'logical operation number so and so of a session, from 1', wholeNumber(1))
      .option('--agent <principal>', 'what this agent did', by(PrincipalSchema))
      .option('--path <glob>', 'what was done to paths like this: **, *, ?, {a,b}')
      .option('--file <path>', 'what was done to this path, taken literally')
      .option('--below', 'with --file: and to all that lies below it')
      .option('--created', 'what a session created and nobody changed since')
      .option('--since <time|seq>', `what was done from then on: a number of the log, or ${MOMENT_HELP}`, place)
      .option('--plan <hash>', 'the plan that --dry-run showed, and no other'),
  ).action(
    runner.action<UndoFlags, [string | undefined]>(async (invocation, flags, id) => {
      const words = wordsOf(invocation, flags, id);
      // What makes no sense is told of before anybody is asked, or connected to.
      if (flags.plan === undefined) checkSelection(words);
      else checkPlanAlone(flags, words);
      mustBeAsked(invocation, flags);
      const retrace = await invocation.upToDate();
      const plan =
        flags.plan === undefined
          ? await retrace.undoPlan(await undoSelection(retrace, words), await planOptions(retrace, flags))
          : await retrace.call(PlanGet, { plan_hash: flags.plan });
      return showAndRun(invocation, retrace, plan, { flags, verb: 'undo' });
    }),
  );

function wordsOf({ globals, sessionId }: Invocation, flags: UndoFlags, id: string | undefined): SelectionWords {
  const { step, agent, path, file, below, created, since } = flags;
  const { session } = globals;
  return { id, step, agent, path, file, below, created, since, session, sessionAround: sessionId };
}

/** A plan holds what is selected, and what is done where something stands in the way. */
function checkPlanAlone(flags: UndoFlags, { sessionAround: _around, ...words }: SelectionWords): void {
  if (!RollbackPlanSchema.shape.plan_hash.safeParse(flags.plan).success)
    throw new UsageError(`--plan ${flags.plan}: a plan is named by 64 hex digits, as --dry-run shows them`);
  const { except, exceptPath, skip, merge, force, allOrNone } = flags;
  const others = [...Object.values(words), except, exceptPath, skip, merge, force, allOrNone];
  if (others.some((one) => one !== undefined))
    throw new UsageError('a plan says it all: leave out what else selects or decides');
}
