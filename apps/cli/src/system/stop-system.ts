import { rm } from 'node:fs/promises';
import type { Runtime } from '@retrace/messaging';
import type { Home } from '../home/home.js';
import { untilGone } from '../home/processes.js';
import { runsHere, runtimeOf, STANDALONE } from '../home/runtime-file.js';
import { CommandFailed } from '../usage-error.js';

/** The services drain for up to 30 s each. */
const STOP_TIMEOUT_MS = 120_000;

/** Asks the system to stop and waits until it is gone. Answers what ran; `undefined`: nothing did. */
export async function stopSystem(home: Home): Promise<Runtime | undefined> {
  const runtime = await runtimeOf(home);
  if (!runtime) return undefined;
  if (!(await runsHere(runtime))) {
    await removeStale(home, runtime);
    return undefined;
  }
  process.kill(runtime.pid, 'SIGTERM');
  if (!(await untilGone(runtime.pid, STANDALONE, STOP_TIMEOUT_MS)))
    throw new CommandFailed(
      'still_running',
      `process ${runtime.pid} still runs after ${STOP_TIMEOUT_MS / 1000} s`,
      `see ${home.logs}`,
    );
  await removeStale(home, runtime);
  return runtime;
}

/** Removes the file that a crash left behind, unless another system wrote its own meanwhile. */
async function removeStale(home: Home, { pid }: Runtime): Promise<void> {
  if ((await runtimeOf(home))?.pid === pid) await rm(home.runtimeFile, { force: true });
}
