import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../cli/bin/retrace.mjs', import.meta.url));
const AGENT = fileURLToPath(new URL('./agents/agent.js', import.meta.url));

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line of one system, as its operator uses it. */
export class RetraceCli {
  constructor(
    private readonly home: string,
    private readonly workspace: string,
  ) {}

  run(args: readonly string[]): Promise<Ended> {
    const environment = { ...process.env, RETRACE_HOME: this.home, RETRACE_WORKSPACE: this.workspace };
    return end(process.execPath, [BIN, ...args], environment);
  }

  /** Runs and expects success. Answers what it printed. */
  async text(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run(args);
    if (status !== 0) throw new Error(`retrace ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.text(...args, '--json')) as T;
  }
}

/** Runs one agent as a process of its own: all it knows comes through its standard input. */
export async function runAgent(assignment: unknown): Promise<Record<string, unknown>[]> {
  const { status, stdout, stderr } = await end(
    process.execPath,
    [AGENT],
    { PATH: process.env['PATH'] },
    JSON.stringify(assignment),
  );
  if (status !== 0) throw new Error(`an agent ended with ${status}:\n${stderr}`);
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function end(command: string, args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ status: code ?? 1, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
