import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processesNaming } from './processes.js';

/** How the system is brought up and down, and what of it can die on its own. */
export interface Launcher {
  up(home: string): Promise<void>;
  down(home: string): Promise<void>;
  /** Kills (SIGKILL) what runs this service. Answers what died; `undefined` where it has died with another already. */
  kill(home: string, service: Service): Promise<string | undefined>;
}

export type Service = 'execution' | 'policy' | 'snapshot' | 'projection' | 'rollback';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../cli/bin/retrace.mjs', import.meta.url));
const CLUSTER = fileURLToPath(new URL('../../../tools/cluster.mjs', import.meta.url));

/** What `down` exits with where there is nothing to take down. */
const NOTHING_RUNS = 4;

const start = async (script: string, home: string): Promise<void> =>
  void (await run(process.execPath, [script, 'up'], { env: { ...process.env, RETRACE_HOME: home } }));

async function stop(script: string, home: string): Promise<void> {
  try {
    await run(process.execPath, [script, 'down'], { env: { ...process.env, RETRACE_HOME: home } });
  } catch (error) {
    if ((error as { code?: unknown }).code !== NOTHING_RUNS) throw error;
  }
}

/** `retrace up`: all services in one process, so that one death, policy's, is everybody's; the person starts it again. */
export const standalone: Launcher = {
  up: (home) => start(BIN, home),
  down: (home) => stop(BIN, home),
  kill: async (home, service) => {
    if (service !== 'policy') return undefined;
    const { pid } = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await ended(pid);
    await start(BIN, home);
    return 'the whole system';
  },
};

/** `tools/cluster`: every service as a process of its own; its supervisor starts again what died. */
export const cluster: Launcher = {
  up: (home) => start(CLUSTER, home),
  down: (home) => stop(CLUSTER, home),
  kill: async (home, service) => {
    const pid = pidOf(home, service);
    if (pid === undefined) throw new Error(`no process runs ${service}`);
    process.kill(pid, 'SIGKILL');
    await ended(pid);
    return service;
  },
};

const pidOf = (home: string, service: Service): number | undefined =>
  processesNaming(home).find(({ command }) => command.includes(`/apps/${service}/dist/main.js`))?.pid;

async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
}
