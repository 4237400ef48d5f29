import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, type Retrace } from '@retrace/client';
import { readRuntime, retraceHome, type RetraceHome, type Runtime } from '@retrace/messaging';

export type Mode = 'standalone' | 'cluster';
export const MODES: readonly Mode[] = ['standalone', 'cluster'];

const root = fileURLToPath(new URL('../../../', import.meta.url));
const ENTRIES: Record<Mode, string> = {
  standalone: join(root, 'apps/standalone/dist/main.js'),
  cluster: join(root, 'apps/standalone/dist/cluster-main.js'),
};
const CLI = join(root, 'apps/cli/bin/retrace.mjs');

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A system of its own in a temporary folder, run as its users run it: processes, files, the command line. */
export class RetraceSystem {
  readonly home: RetraceHome;
  private child: ChildProcess | undefined;

  constructor(
    readonly mode: Mode,
    readonly folder = mkdtempSync(join(tmpdir(), 'retrace-e2e-')),
  ) {
    this.home = retraceHome({}, join(folder, 'home'));
  }

  get url(): string {
    return this.runtime.url;
  }

  get runtime(): Runtime {
    return JSON.parse(readFileSync(this.home.runtimeFile, 'utf8')) as Runtime;
  }

  get pid(): number {
    return this.child!.pid!;
  }

  /** Resolves when the system announces itself. Rejects with its output when it ends before. */
  async start(environment: NodeJS.ProcessEnv = {}, nodeArguments: readonly string[] = []): Promise<void> {
    const logFile = join(this.folder, 'system.log');
    const log = openSync(logFile, 'a');
    const env = { ...process.env, NODE_OPTIONS: '', RETRACE_HOME: this.home.folder, ...environment };
    const child = spawn(process.execPath, [...nodeArguments, ENTRIES[this.mode]], { env, stdio: ['ignore', log, log] });
    this.child = child;
    while ((await readRuntime(this.home))?.pid !== child.pid) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(
          `the system ended with ${child.exitCode ?? child.signalCode}:\n${readFileSync(logFile, 'utf8').slice(-4000)}`,
        );
      await sleep(20);
    }
  }

  /** What it printed so far. */
  output(): string {
    return readFileSync(join(this.folder, 'system.log'), 'utf8');
  }

  /** Ends it with a signal and waits. Answers the exit status, or the signal that ended it. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
    const { child } = this;
    if (!child) return null;
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    }
    return child.signalCode ?? child.exitCode;
  }

  /** Resolves when it has ended by itself (a failpoint). */
  async ended(): Promise<void> {
    if (this.child!.exitCode === null && this.child!.signalCode === null) await once(this.child!, 'exit');
  }

  async dispose(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  cli(...args: string[]): Promise<Ended> {
    return this.cliIn(undefined, ...args);
  }

  /** Runs a command from where somebody stands. */
  async cliIn(cwd: string | undefined, ...args: string[]): Promise<Ended> {
    const env = { ...process.env, NODE_OPTIONS: '', RETRACE_HOME: this.home.folder };
    const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, ...output };
  }

  /** Runs a command that must succeed. */
  async must(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.cli(...args);
    if (status !== 0) throw new Error(`retrace ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Connects as an agent or as `_op-local`. */
  connect(principal: string, workspace: string): Promise<Retrace> {
    const credentialsFile = join(this.home.credentials, `${principal}.json`);
    return connect({ url: this.url, credentialsFile, workspace });
  }
}
