import { type ChildProcess, spawn } from 'node:child_process';
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

/** One service as a process of its own; one that dies without being asked to is started again, until it stands. */
export class ServiceChild {
  private child: ChildProcess | undefined;
  /** Tells how the last child ended, or why there never was one. */
  private gone: Promise<string> | undefined;
  private starting: Promise<void> | undefined;
  private restart: NodeJS.Timeout | undefined;
  private stopping = false;
  private pause = FIRST_PAUSE_MS;

  constructor(private readonly options: ChildOptions) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when the service said that it is ready. Rejects when it ends before. */
  start(): Promise<void> {
    this.starting = this.launch();
    return this.starting;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    this.child?.kill('SIGTERM');
    const timer = setTimeout(() => this.child?.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.gone;
    clearTimeout(timer);
    await this.starting?.catch(() => undefined);
  }

  private async launch(): Promise<void> {
    const { name, logFile } = this.options;
    const log = await open(logFile, 'a', 0o600);
    try {
      if (this.stopping) throw new Error(`${name} was stopped while starting`);
      const child = this.spawn(log.fd);
      const gone = endOf(child);
      this.child = child;
      this.gone = gone;
      await new Promise<void>((resolve, reject) => {
        child.once('message', () => resolve());
        void gone.then((how) => reject(new Error(`${name} ended while starting (${how}); its log: ${logFile}`)));
      });
      this.pause = FIRST_PAUSE_MS;
      void gone.then((how) => this.again(`${name} ended (${how})`));
    } finally {
      await log.close();
    }
  }

  private spawn(log: number): ChildProcess {
    const { entry, environment } = this.options;
    // A group of its own: Ctrl-C in a terminal reaches the supervisor alone, which stops services in order.
    return spawn(process.execPath, [entry], {
      env: environment,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    });
  }

  private again(why: string): void {
    if (this.stopping) return;
    this.options.onRestart(`${why}; starting it again`);
    this.restart = setTimeout(() => {
      this.start().catch((error: unknown) => this.again(error instanceof Error ? error.message : String(error)));
    }, this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }
}

/** How a child ended; one that could not be spawned says so by an error alone. */
const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(String(signal ?? code)));
    child.on('error', ({ message }) => {
      if (child.pid === undefined) resolve(message);
    });
  });
