import { type ChaosOptions, parseOptions, USAGE } from './options.js';
import { runChaos } from './run-chaos.js';

function optionsOf(args: readonly string[]): ChaosOptions | undefined {
  try {
    return parseOptions(args, Date.now());
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
    return undefined;
  }
}

const options = optionsOf(process.argv.slice(2));
process.exitCode =
  options === undefined ? 2 : await runChaos(options, (line) => void process.stdout.write(`${line}\n`));
