import type { Command } from 'commander';
import type { CliIo } from './cli-io.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { failureOf, isExpected, renderFailure } from './failure.js';
import type { Globals } from './globals.js';
import { Invocation } from './invocation.js';
import { screenOf } from './render/style.js';

/** What a command does: its own options, then its operands. Answers `done` where it answers nothing. */
export type Handler<Options, Operands extends readonly unknown[]> = (
  invocation: Invocation,
  options: Options,
  ...operands: Operands
) => Promise<ExitCode | void>;

/** Runs handlers as commander's actions, and keeps the exit code of the one that ran. */
export class Runner {
  exitCode: ExitCode = EXIT.done;

  constructor(private readonly io: CliIo) {}

  /** The first of commander's arguments are the operands, the last two options and command. */
  action<Options, Operands extends readonly unknown[] = []>(
    handler: Handler<Options, Operands>,
  ): (...args: unknown[]) => Promise<void> {
    return async (...args) => {
      const command = args.at(-1) as Command;
      const globals = command.optsWithGlobals<Globals>();
      this.exitCode = await this.run(globals, pathOf(command), command.args, (invocation) =>
        handler(invocation, command.opts() as Options, ...(args.slice(0, -2) as unknown as Operands)),
      );
    };
  }

  /** Tells of an error on stderr, and answers its exit code. */
  report(error: unknown, globals: Globals, asked: string, principal: string): ExitCode {
    const failure = failureOf(error, asked, principal);
    const screen = screenOf(this.io);
    const text = globals.json ? `${JSON.stringify({ error: failure })}\n` : renderFailure(failure, screen);
    this.io.writeError(text);
    if (!isExpected(error) && error instanceof Error && this.io.env.RETRACE_DEBUG)
      this.io.writeError(`${error.stack}\n`);
    return failure.exit;
  }

  private async run(
    globals: Globals,
    name: string,
    operands: readonly string[],
    work: (invocation: Invocation) => Promise<ExitCode | void>,
  ): Promise<ExitCode> {
    const invocation = new Invocation(this.io, globals, name);
    try {
      return (await work(invocation)) ?? EXIT.done;
    } catch (error) {
      return this.report(error, globals, askedFor(invocation, operands), invocation.principal);
    } finally {
      await invocation.close();
    }
  }
}

/** `workspace add` of `retrace workspace add`. */
const pathOf = (command: Command): string => {
  const parent = command.parent;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
};

const askedFor = (invocation: Invocation, operands: readonly string[]): string => {
  const workspace = invocation.namedWorkspace();
  const where = workspace === undefined ? '' : ` in ${workspace}`;
  return `retrace ${[invocation.command, ...operands].join(' ')} as ${invocation.principal}${where}`;
};
