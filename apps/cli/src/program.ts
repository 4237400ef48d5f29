import { Command } from 'commander';
import type { CliIo } from './cli-io.js';
import { agentCommand } from './commands/agent.command.js';
import { applyCommand } from './commands/apply.command.js';
import { catCommand } from './commands/cat.command.js';
import type { CommandFactory } from './commands/command.js';
import { downCommand } from './commands/down.command.js';
import { editCommand } from './commands/edit.command.js';
import { logCommand } from './commands/log.command.js';
import { mkdirCommand } from './commands/mkdir.command.js';
import { policyCommand } from './commands/policy.command.js';
import { rmCommand } from './commands/rm.command.js';
import { sessionCommand } from './commands/session.command.js';
import { showCommand } from './commands/show.command.js';
import { statusCommand } from './commands/status.command.js';
import { undoCommand } from './commands/undo.command.js';
import { upCommand } from './commands/up.command.js';
import { workspaceCommand } from './commands/workspace.command.js';
import { writeCommand } from './commands/write.command.js';
import { EXIT_HELP } from './exit-code.js';
import { addGlobals } from './globals.js';
import { screenOf } from './render/style.js';
import type { Runner } from './runner.js';

const GROUPS: Readonly<Record<string, readonly CommandFactory[]>> = {
  'System:': [upCommand, statusCommand, downCommand],
  'Who and where:': [workspaceCommand, agentCommand, policyCommand, sessionCommand],
  'Change files:': [writeCommand, editCommand, rmCommand, mkdirCommand, applyCommand],
  'Look and take back:': [logCommand, showCommand, catCommand, undoCommand],
};

const INTRO = 'Every change of a file by an agent: decided, recorded, and to be taken back.';
const EXAMPLES = `
Examples:
  $ retrace up
  $ retrace workspace add ./notes --policy team
  $ retrace agent add writer --workspace notes
  $ retrace write docs/a.md --content 'hello' --as writer
  $ retrace log
  $ retrace undo 12`;

/** The whole command line. Text goes to `io`; errors are thrown, never printed by commander. */
export function buildProgram(io: CliIo, runner: Runner): Command {
  const program = addGlobals(new Command('retrace').description(INTRO))
    .enablePositionalOptions()
    .addHelpText('after', `${EXAMPLES}\n${EXIT_HELP}`);
  for (const [group, commands] of Object.entries(GROUPS))
    for (const command of commands) program.addCommand(command(runner).helpGroup(group));
  return settle(program, io);
}

/** Commands that are added do not inherit these. */
function settle(command: Command, io: CliIo): Command {
  const { width } = screenOf(io);
  command
    .exitOverride()
    .configureHelp({ minWidthToWrap: 16 })
    .configureOutput({
      writeOut: (text) => io.write(text),
      writeErr: (text) => io.writeError(text),
      outputError: () => undefined,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => io.stdoutIsTty,
    });
  for (const child of command.commands) settle(child, io);
  return command;
}
