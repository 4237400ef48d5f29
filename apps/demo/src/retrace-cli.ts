import { fileURLToPath } from 'node:url';
import { type Ended, runProcess } from './run-process.js';

const BIN = fileURLToPath(new URL('../../cli/bin/retrace.mjs', import.meta.url));

/** Exit statuses of `retrace undo`. */
export const PARTIAL = 3;

/** The command line of one system, as its operator uses it. */
export class RetraceCli {
  constructor(
    private readonly home: string,
    private readonly workspace: string,
  ) {}

  run(args: readonly string[]): Promise<Ended> {
    const environment = { ...process.env, RETRACE_HOME: this.home, RETRACE_WORKSPACE: this.workspace };
    return runProcess(process.execPath, [BIN, ...args], { env: environment });
  }

  /** Runs and expects an exit status, 0 unless said. Answers what it printed. */
  async text(args: readonly string[], expected = 0): Promise<string> {
    const { status, stdout, stderr } = await this.run(args);
    if (status !== expected)
      throw new Error(`retrace ${args.join(' ')}: exit ${status}, expected ${expected}\n${stdout}${stderr}`);
    return stdout;
  }

  async json<T>(args: readonly string[], expected = 0): Promise<T> {
    return JSON.parse(await this.text([...args, '--json'], expected)) as T;
  }
}
