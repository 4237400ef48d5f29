import { Command } from 'commander';
import { wrap } from '../render/text.js';
import type { Runner } from '../runner.js';

/** Makes one command; its action is wrapped by the runner. */
export type CommandFactory = (runner: Runner) => Command;

/** A command with examples and what else is to be known. The overview gives it its description. */
export const describeCommand = (name: string, examples: readonly string[], note = ''): Command => {
  const command = new Command(name).addHelpText('after', helpOf(examples));
  return note === '' ? command : addNote(command, note);
};

/** A paragraph below the help, as wide as the help is. */
export const addNote = (command: Command, note: string): Command =>
  command.addHelpText('after', () => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? NOTE_WIDTH;
    return `\n${wrap(note.trim().replaceAll('\n', ' '), Math.min(width, NOTE_WIDTH)).join('\n')}`;
  });

/** Longer lines are hard to read. */
const NOTE_WIDTH = 100;

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
