import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectSystem } from '@retrace/client';
import { SERVICES } from '@retrace/contracts';
import type { Runtime } from '@retrace/messaging';
import { type Home, LOCAL_OPERATOR } from '../home/home.js';
import { runtimeOf } from '../home/runtime-file.js';
import { CommandFailed } from '../usage-error.js';
import { logSize, logTail, openLog } from './log-tail.js';

/** A long log is folded again after an upgrade. */
const START_TIMEOUT_MS = 180_000;
/** What came up by then drains for up to 30 s a service. */
const STOP_TIMEOUT_MS = 120_000;
const POLL_MS = 50;
const PING_TIMEOUT_MS = 2_000;

export interface StartOptions {
  readonly home: Home;
  /** The program that is the system. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Of the bus. */
  readonly port?: number | undefined;
  /** How long the system may take until it is ready. */
  readonly timeoutMs?: number | undefined;
}

const environmentOf = ({ home, env, port }: StartOptions): NodeJS.ProcessEnv => ({
  ...env,
  RETRACE_HOME: home.folder,
  ...(port === undefined ? {} : { RETRACE_PORT: String(port) }),
});

/**
 * Starts the system on its own, and waits until every service is ready. What does not get there, or is interrupted, is
 * ended before this throws CommandFailed with the end of its log.
 */
export async function startDetached(options: StartOptions): Promise<Runtime> {
  const { home, entry, timeoutMs = START_TIMEOUT_MS } = options;
  await mkdir(home.logs, { recursive: true, mode: 0o700 });
  const from = await logSize(home.standaloneLog);
  const log = await openLog(home.standaloneLog);
  const child = spawn(process.execPath, [entry], {
    cwd: home.folder,
    detached: true,
    env: environmentOf(options),
    stdio: ['ignore', log.fd, log.fd],
  });
  const end: End = {};
  child.on('error', ({ message }) => (end.why ??= `the system ended while starting (${message})`));
  child.once('exit', (code, signal) => (end.why ??= `the system ended while starting (exit ${signal ?? code})`));
  const interrupt = (signal: NodeJS.Signals): void => {
    end.why ??= `interrupted by ${signal}`;
    child.kill('SIGTERM');
  };
  // A second signal ends this process, as it does anywhere.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await log.close();
    return await untilReady(home, child, end, timeoutMs);
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)) + (await endChild(child));
    const tail = await logTail(home.standaloneLog, from);
    throw new CommandFailed('start_failed', why, `see ${home.standaloneLog}, which ends:`, { cause: error }, tail);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    child.unref();
  }
}

/** Runs the system attached to this terminal, says where and how it ends, and answers its exit code when it ended. */
export async function runAttached(options: StartOptions, tell: (text: string) => void): Promise<number> {
  tell(`home: ${options.home.folder}\nCtrl-C stops it\n`);
  const child = spawn(process.execPath, [options.entry], { env: environmentOf(options), stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  // Ctrl-C reaches the child by itself: here it only must not end this process first.
  const ignore = (): void => undefined;
  process.on('SIGTERM', forward).on('SIGINT', ignore);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 0)));
    });
  } finally {
    process.off('SIGTERM', forward).off('SIGINT', ignore);
  }
}

/** Why a system that is starting will not be ready. */
interface End {
  why?: string;
}

async function untilReady(home: Home, child: ChildProcess, end: End, timeoutMs: number): Promise<Runtime> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const runtime = await runtimeOf(home);
    // An older file may lie there still: only the child's own counts.
    const ready = runtime?.pid === child.pid && runtime && (await everyServiceReady(home, runtime));
    if (end.why !== undefined) throw new Error(end.why);
    if (ready) return runtime;
    await sleep(POLL_MS);
  }
  throw new Error(`the system is not ready after ${timeoutMs / 1000} s`);
}

/** Asks a child to end and waits for it. Answers what there is to add when it does not. */
async function endChild(child: ChildProcess): Promise<string> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return '';
  const gone = once(child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
  child.kill('SIGTERM');
  return gone.then(
    () => '',
    () => `; process ${child.pid} still runs`,
  );
}

/** Asks each service once. */
async function everyServiceReady(home: Home, { url }: Runtime): Promise<boolean> {
  const system = await connectSystem({ url, credentialsFile: home.credentialFile(LOCAL_OPERATOR) });
  try {
    const answers = await Promise.all(SERVICES.map((service) => system.ping(service, PING_TIMEOUT_MS)));
    return answers.every(({ ready }) => ready);
  } catch {
    return false;
  } finally {
    await system.close();
  }
}
