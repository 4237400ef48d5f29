import type { Command } from 'commander';
import type { PlanOptions, Retrace } from '@retrace/client';
import type { Selection } from '@retrace/contracts';
import { several } from '../globals.js';
import { parseReference, selectionOf } from './references.js';

/** What undo and redo take: what stays, what to do where something is in the way, and whether to ask. */
export interface PlanFlags {
  readonly except?: readonly string[];
  readonly exceptPath?: readonly string[];
  readonly skip?: boolean;
  readonly merge?: boolean;
  readonly force?: boolean;
  readonly allOrNone?: boolean;
  readonly dryRun?: boolean;
  /** False: `--no-diff`. */
  readonly diff: boolean;
  readonly yes?: boolean;
}

const text = (value: string): string => value;

export const withPlanOptions = (command: Command): Command =>
  command
    .optionsGroup('What stays:')
    .option('--except <id>', 'not this: op_…, lop_…, ses_…, or a number of the log; may be repeated', several(text))
    .option('--except-path <glob>', 'no paths like this; may be repeated', several(text))
    .optionsGroup('Where something stands in the way:')
    .option('--skip', 'leave out that path alone, not the whole logical operation')
    .option('--merge', 'merge text line by line, as far as that is possible')
    .option('--force', 'go over what stands there, which is stored first')
    .option('--all-or-none', 'undo nothing where anything would be left out')
    .optionsGroup('Options:')
    .option('--dry-run', 'show the plan with its diffs and its hash, change nothing; exits as the undo would')
    .option('--no-diff', 'leave the diffs out')
    .option('-y, --yes', 'do not ask');

/** What the planner is told besides the selection. */
export async function planOptions(retrace: Retrace, flags: PlanFlags): Promise<PlanOptions> {
  const named = (flags.except ?? []).map((one) => selectionOf(retrace, parseReference(one)));
  const globs = (flags.exceptPath ?? []).map((glob): Selection => ({ by: 'glob', glob }));
  const except = [...(await Promise.all(named)), ...globs];
  const { merge, force, skip, allOrNone } = flags;
  return { except: except.length === 0 ? undefined : except, merge, force, skip, allOrNone };
}
