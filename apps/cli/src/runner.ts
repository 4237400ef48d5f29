import type { Command } from 'commander';
import type { CliIo } from './cli-io.js';
import { EXIT, type ExitCode } from './exit-code.js';
import type { Globals } from './globals.js';
import type { Invocation } from './invocation.js';
import { screenOf } from './render/style.js';

/** What a command does: its own options, then its operands. Answers `done` where it answers nothing. */
export type Handler<Options, Operands extends readonly unknown[]> = (
  invocation: Invocation,
  options: Options,
  ...operands: Operands
) => Promise<ExitCode | void>;

/** What is asked for, in the words of the command line. */
interface Asked {
  readonly globals: Globals;
  /** Such as `workspace add`. */
  readonly name: string;
  readonly operands: readonly string[];
}

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
      const asked = { globals: command.optsWithGlobals<Globals>(), name: pathOf(command), operands: command.args };
      this.exitCode = await this.run(asked, (invocation) =>
        handler(invocation, command.opts() as Options, ...(args.slice(0, -2) as unknown as Operands)),
      );
    };
  }

  /** Tells of an error on stderr, and answers its exit code. */
  async report(error: unknown, globals: Globals, asked: string, principal: string): Promise<ExitCode> {
    const { failureOf, isExpected, renderFailure } = await import('./failure.js');
    const failure = failureOf(error, asked, principal);
    const screen = screenOf(this.io);
    const text = globals.json ? `${JSON.stringify({ error: failure })}\n` : renderFailure(failure, screen);
    this.io.writeError(text);
    if (!isExpected(error) && error instanceof Error && this.io.env.RETRACE_DEBUG)
      this.io.writeError(`${error.stack}\n`);
    return failure.exit;
  }

  private async run(asked: Asked, work: (invocation: Invocation) => Promise<ExitCode | void>): Promise<ExitCode> {
    const { globals, name } = asked;
    let invocation: Invocation | undefined;
    try {
      const loaded = await import('./invocation.js');
      invocation = new loaded.Invocation(this.io, globals, name);
      return (await work(invocation)) ?? EXIT.done;
    } catch (error) {
      invocation?.progress.stop();
      return await this.report(error, globals, inWords(asked, invocation), invocation?.principal ?? '');
    } finally {
      await invocation?.close();
    }
  }
}

/** `workspace add` of `retrace workspace add`. */
const pathOf = (command: Command): string => {
  const parent = command.parent;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
};

const inWords = ({ name, operands }: Asked, invocation: Invocation | undefined): string => {
  const line = `retrace ${[name, ...operands].join(' ')}`;
  if (!invocation) return line;
  const workspace = invocation.namedWorkspace();
  return `${line} as ${invocation.principal}${workspace === undefined ? '' : ` in ${workspace}`}`;
};
