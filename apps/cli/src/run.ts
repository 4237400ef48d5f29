import { CommanderError } from 'commander';
import { type CliIo, processIo } from './cli-io.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { buildProgram } from './program.js';
import { Runner } from './runner.js';
import { UsageError } from './usage-error.js';

const SHOWED_HELP: ReadonlySet<string> = new Set(['commander.helpDisplayed', 'commander.version']);

/** Runs one command line (without the program's name) and answers its exit code. Never rejects. */
export async function run(argv: readonly string[], io: CliIo = processIo()): Promise<ExitCode> {
  const runner = new Runner(io);
  try {
    const program = await buildProgram(io, runner, argv);
    await program.parseAsync([...argv], { from: 'user' });
    return runner.exitCode;
  } catch (error) {
    return notStarted(error, argv, runner);
  }
}

async function notStarted(error: unknown, argv: readonly string[], runner: Runner): Promise<ExitCode> {
  const globals = { json: asksForJson(argv) };
  if (!(error instanceof CommanderError)) return runner.report(error, globals, askedFor(argv), '');
  if (SHOWED_HELP.has(error.code)) return EXIT.done;
  // A group without a command: its help was printed.
  if (error.code === 'commander.help') return EXIT.usage;
  const usage = new UsageError(error.message.replace(/^error: /, ''), { cause: error });
  return runner.report(usage, globals, askedFor(argv), '');
}

/** The line was not understood, so this is all there is to go by. */
const asksForJson = (argv: readonly string[]): boolean => argv.includes('--json');
const askedFor = (argv: readonly string[]): string => `retrace ${argv.join(' ')}`;
