import { readRuntime, type Runtime } from '@retrace/messaging';
import { CommandFailed, NotRunning } from '../usage-error.js';
import type { Home } from './home.js';
import { isProcess } from './processes.js';

/** The words by which the processes in the file are known: a pid alone may be somebody else's by now. */
export const STANDALONE = 'standalone';
export const NATS_SERVER = 'nats-server';

/** What the system said of itself when it started; `undefined`: it never did, or it stopped in order. */
export async function runtimeOf(home: Home): Promise<Runtime | undefined> {
  return readRuntime(home).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    const next = 'stop the system by its own means and delete this file';
    throw new CommandFailed('runtime_invalid', `${home.runtimeFile} is damaged: ${why}`, next, { cause });
  });
}

/** Whether the process that the file names runs on this machine. */
export const runsHere = ({ pid }: Runtime): Promise<boolean> => isProcess(pid, STANDALONE);

/** Where the system is, by its own account. Throws {@link NotRunning}. */
export async function runningSystem(home: Home): Promise<Runtime> {
  const runtime = await runtimeOf(home);
  if (!runtime) throw new NotRunning(`no system runs on ${home.folder}`);
  return runtime;
}

/** Says of a system that cannot be reached whether it is still there at all. */
export async function explainSilence(home: Home, runtime: Runtime, error: unknown): Promise<never> {
  if ((error as { code?: unknown }).code !== 'unavailable' || (await runsHere(runtime))) throw error;
  throw new NotRunning(`the system on ${home.folder} ended without saying so (process ${runtime.pid} is gone)`);
}
