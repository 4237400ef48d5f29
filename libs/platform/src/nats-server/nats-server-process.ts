import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { NatsServerError } from './nats-server-error.js';

const STOP_TIMEOUT_MS = 5_000;

export type ServerExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Holds a nats-server child by its pid; every call may be repeated and does nothing once the server has ended. */
export class NatsServerProcess {
  /** Resolves when the program runs; rejects with `nats_server_missing` when it could not be started at all. */
  readonly spawned: Promise<void>;
  readonly exited: Promise<ServerExit>;

  constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    this.spawned = new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) => reject(cannotStart(child.spawnfile, cause)));
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get isRunning(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Asks with SIGTERM (streams are closed in order), insists with SIGKILL after 5 s; resolves when the process is gone. */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const timeout = new AbortController();
    const expired = sleep(STOP_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => {});
    await Promise.race([this.exited, expired]);
    timeout.abort();
    await this.kill();
  }

  /** SIGKILL: what a crash looks like to the store. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** Has the configuration read again (SIGHUP). The server answers in its log only; a broken file changes nothing. */
  reload(): void {
    this.signal('SIGHUP');
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.child.kill(signal);
  }
}

const cannotStart = (path: string, cause: Error): NatsServerError =>
  new NatsServerError(
    'nats_server_missing',
    `${path} could not be started (${cause.message}). Check NATS_SERVER_BIN.`,
    {
      cause,
    },
  );
