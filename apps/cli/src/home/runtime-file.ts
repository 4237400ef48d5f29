import { readFile } from 'node:fs/promises';
import type { Runtime } from '@retrace/messaging';
import { z } from 'zod';
import { CommandFailed, NotRunning } from '../usage-error.js';
import type { Home } from './home.js';
import { isProcess } from './processes.js';

/** The words by which the processes in the file are known: a pid alone may be somebody else's by now. */
export const STANDALONE = 'standalone';
export const NATS_SERVER = 'nats-server';

/** The file as the system writes it; read here without the framework that the system runs in. */
const RuntimeSchema: z.ZodType<Runtime> = z.object({
  url: z.string(),
  pid: z.int().min(1),
  nats_pid: z.int().min(1).nullable(),
  mode: z.enum(['standalone', 'cluster']),
  started_at: z.string(),
  version: z.string(),
});

async function readRuntime({ runtimeFile }: Home): Promise<Runtime | undefined> {
  const text = await readFile(runtimeFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : RuntimeSchema.parse(JSON.parse(text));
}

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
