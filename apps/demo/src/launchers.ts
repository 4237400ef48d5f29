import { fileURLToPath } from 'node:url';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Launcher } from './story.js';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../cli/bin/retrace.mjs', import.meta.url));
const CLUSTER = fileURLToPath(new URL('../../../tools/cluster.mjs', import.meta.url));

/** What `down` exits with where there is nothing to take down. */
const NOTHING_RUNS = 4;

const commands = (script: string): Launcher => ({
  up: async (home) =>
    void (await run(process.execPath, [script, 'up'], { env: { ...process.env, RETRACE_HOME: home } })),
  down: async (home) => {
    try {
      await run(process.execPath, [script, 'down'], { env: { ...process.env, RETRACE_HOME: home } });
    } catch (error) {
      if ((error as { code?: unknown }).code !== NOTHING_RUNS) throw error;
    }
  },
});

/** `retrace up`: all services in one process. */
export const standalone: Launcher = commands(BIN);
/** `tools/cluster`: every service as a process of its own. */
export const cluster: Launcher = commands(CLUSTER);
