import { Command } from 'commander';
import { CATALOGUE, type Listed } from './catalogue.js';
import type { CliIo } from './cli-io.js';
import { addNote } from './commands/command.js';
import { EXIT_HELP } from './exit-code.js';
import { addGlobals } from './globals.js';
import { screenOf } from './render/style.js';
import type { Runner } from './runner.js';

const INTRO = 'Every change of a file by an agent: decided, recorded, and to be taken back.';
const NOTE = `
Paths are named from the root of the workspace, wherever you stand; local files (--file, apply FILE) from where you
stand. What an undo takes back is what was recorded, whatever folder it is run in.`;
const EXAMPLES = `
Examples:
  $ retrace up
  $ retrace workspace add ./notes --policy team
  $ retrace agent add writer --workspace notes
  $ retrace write docs/a.md --content 'hello' --as writer
  $ retrace log
  $ retrace undo 12`;

/**
 * The whole command line, as far as `argv` needs it: commands that it does not name are there by name alone. Text goes
 * to `io`; errors are thrown, never printed by commander.
 */
export async function buildProgram(io: CliIo, runner: Runner, argv: readonly string[]): Promise<Command> {
  const program = new Command('retrace').description(INTRO).enablePositionalOptions();
  addNote(program, NOTE).addHelpText('after', `${EXAMPLES}\n${EXIT_HELP}`);
  for (const [group, commands] of Object.entries(CATALOGUE))
    for (const one of commands) program.addCommand((await commandFor(one, runner, argv)).helpGroup(group));
  return settle(program, io);
}

async function commandFor({ name, about, load }: Listed, runner: Runner, argv: readonly string[]): Promise<Command> {
  const command = argv.includes(name) ? (await load())(runner) : new Command(name);
  return command.description(about);
}

/** Commands that are added do not inherit these. */
function settle(command: Command, io: CliIo): Command {
  const { width } = screenOf(io);
  command
    .exitOverride()
    .configureHelp({ minWidthToWrap: 16, subcommandTerm: (sub) => sub.name() })
    .configureOutput({
      writeOut: (text) => io.write(text),
      writeErr: (text) => io.writeError(text),
      outputError: () => undefined,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => io.stdoutIsTty,
    });
  for (const child of command.commands) settle(child, io);
  // Last, so that help begins with what a command is for.
  return command.parent && command.commands.length > 0 ? command : addGlobals(command);
}
