import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { operatorPrincipal } from '@retrace/contracts';
import { z } from 'zod';

/** The operator whose credentials lie in the home folder of whoever runs `retrace up`. */
export const LOCAL_OPERATOR = operatorPrincipal('local');

/** Where a system keeps everything: one folder (0700), `$RETRACE_HOME` or the XDG data folder. */
export interface RetraceHome {
  readonly folder: string;
  readonly runtimeFile: string;
  /** `<principal>.json`, 0600. */
  readonly credentials: string;
  /** Accounts, configuration and streams of the bus. */
  readonly nats: string;
  /** One folder per service. */
  readonly data: string;
  readonly logs: string;
}

export function retraceHome(environment: NodeJS.ProcessEnv = process.env, folder?: string): RetraceHome {
  const xdg = environment['XDG_DATA_HOME'] || join(environment['HOME'] || homedir(), '.local', 'share');
  const home = folder ?? (environment['RETRACE_HOME'] || join(xdg, 'retrace'));
  return {
    folder: home,
    runtimeFile: join(home, 'runtime.json'),
    credentials: join(home, 'credentials'),
    nats: join(home, 'nats'),
    data: join(home, 'data'),
    logs: join(home, 'logs'),
  };
}

/** What a running system says of itself. */
export const RuntimeSchema = z.object({
  url: z.string(),
  /** Of the process that runs the system: `retrace down` signals it. */
  pid: z.int().min(1),
  /** `null` where the bus was given by NATS_URL. */
  nats_pid: z.int().min(1).nullable(),
  mode: z.enum(['standalone', 'cluster']),
  started_at: z.string(),
  version: z.string(),
});
export type Runtime = z.infer<typeof RuntimeSchema>;

/** The running system's file; `undefined` where there is none. Throws when it is damaged. */
export async function readRuntime({ runtimeFile }: RetraceHome): Promise<Runtime | undefined> {
  const text = await readFile(runtimeFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : RuntimeSchema.parse(JSON.parse(text));
}

/** Readers never see half a file. */
export async function writeRuntime({ runtimeFile }: RetraceHome, runtime: Runtime): Promise<void> {
  const temporary = `${runtimeFile}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(runtime, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, runtimeFile);
}

export async function removeRuntime({ runtimeFile }: RetraceHome): Promise<void> {
  await rm(runtimeFile, { force: true });
}
