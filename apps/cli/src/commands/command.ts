import { Command } from 'commander';
import { addGlobals } from '../globals.js';
import type { Runner } from '../runner.js';

/** Makes one command; its action is wrapped by the runner. */
export type CommandFactory = (runner: Runner) => Command;

/** A command with a description and examples, which takes the global options. */
export const describeCommand = (usage: string, description: string, examples: readonly string[]): Command =>
  addGlobals(new Command(usage)).description(description).addHelpText('after', helpOf(examples));

/** Commands under a common word. */
export const groupCommands = (name: string, description: string, commands: readonly Command[]): Command => {
  const group = new Command(name).description(description);
  for (const command of commands) group.addCommand(command);
  return group;
};

const helpOf = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`;
