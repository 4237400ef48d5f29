import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_TIMEOUT_MS = 5_000;
const POLL_MS = 20;

/**
 * Ends servers that were started with this argument and whose owner is gone: killed, its watchdog slow or killed too. A
 * second server on one store would destroy it. Whoever calls holds the lock of the folder, so that no owner can be alive.
 */
export async function endOrphans(argument: string): Promise<void> {
  for (const pid of await processesWith(argument)) {
    signal(pid, 'SIGTERM');
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (Date.now() < deadline && (await runsWith(pid, argument))) await sleep(POLL_MS);
    if (await runsWith(pid, argument)) signal(pid, 'SIGKILL');
    while (await runsWith(pid, argument)) await sleep(POLL_MS);
  }
}

/** Where there is no `/proc`, none is found. */
async function processesWith(argument: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await runsWith(pid, argument)) ? [pid] : [])));
  return found.flat();
}

/** A process that has ended and is not yet reaped has no command line any more. */
const runsWith = async (pid: number, argument: string): Promise<boolean> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').includes(argument);

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile.
  }
}
