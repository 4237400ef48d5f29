import { Command } from 'commander';
import { addGlobals } from '../globals.js';
import type { Runner } from '../runner.js';

/** Makes one command; its action is wrapped by the runner. */
export type CommandFactory = (runner: Runner) => Command;

/** A command with examples, which takes the global options. The overview gives it its description. */
export const describeCommand = (name: string, examples: readonly string[]): Command =>
  addGlobals(new Command(name)).addHelpText('after', helpOf(examples));

/** Commands under a common word. */
export const groupCommands = (name: string, commands: readonly Command[]): Command => {
  const group = new Command(name);
  for (const command of commands) group.addCommand(command);
  return group;
};

/** Every command says it the same way. */
export const PATH_HELP = 'from the root of the workspace';

const helpOf = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`;
