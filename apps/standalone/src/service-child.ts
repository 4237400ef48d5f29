import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const STOP_TIMEOUT_MS = 35_000;

export interface ChildOptions {
  readonly name: string;
  /** The service's `main.js`. */
  readonly entry: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly onRestart: (why: string) => void;
}

/** One service as a process of its own; one that dies without being asked to is started again. */
export class ServiceChild {
  private child: ChildProcess | undefined;
  private stopping = false;
  private pause = FIRST_PAUSE_MS;

  constructor(private readonly options: ChildOptions) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when the service said that it is ready. Rejects when it ends before. */
  async start(): Promise<void> {
    const { name, entry, environment, logFile } = this.options;
    const log = await open(logFile, 'a', 0o600);
    // A group of its own: Ctrl-C in a terminal reaches the supervisor alone, which stops services in order.
    const child = spawn(process.execPath, [entry], {
      env: environment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
    });
    await log.close();
    this.child = child;
    child.once('exit', (code, signal) => this.ended(`${signal ?? code}`));
    const ready = new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', () => reject(new Error(`${name} ended while starting; its log: ${logFile}`)));
    });
    await ready;
    this.pause = FIRST_PAUSE_MS;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await gone;
    clearTimeout(timer);
  }

  private ended(how: string): void {
    if (this.stopping) return;
    this.options.onRestart(`${this.options.name} ended (${how}); starting it again`);
    setTimeout(() => {
      if (!this.stopping) this.start().catch((error: unknown) => this.options.onRestart(String(error)));
    }, this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }
}
