import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FETCH = fileURLToPath(new URL('../../../tools/fetch-deb.sh', import.meta.url));
const INSIDE = 'usr/bin/strace';

/** Finds strace: the PATH, else Debian's package, unpacked into the user's cache without root. */
async function findStrace(): Promise<string> {
  const onPath = await run('strace', ['--version']).catch(() => undefined);
  if (onPath) return 'strace';
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'retrace');
  const { stdout } = await run('bash', [FETCH, 'strace', INSIDE, cache, 'stable', 'oldstable']);
  return stdout.trim();
}

/**
 * The system calls of these names that the processes (all of their threads) make during `work`, a line each as strace
 * prints it, in the order in which they began; handles are shown with their paths.
 */
export async function systemCalls(
  pids: readonly number[],
  names: readonly string[],
  work: () => Promise<unknown>,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-strace-'));
  const output = join(folder, 'trace');
  const whom = pids.flatMap((pid) => ['-p', String(pid)]);
  const what = ['-qq', '-f', '-y', '-s', '4096', '-e', `trace=${names.join(',')}`, '-e', 'signal=none'];
  const strace = spawn(await findStrace(), [...what, '-o', output, ...whom], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = once(strace, 'exit');
  try {
    while (!pids.every(isTraced)) {
      if (strace.exitCode !== null) throw new Error(`strace ended with ${strace.exitCode}`);
      await sleep(20);
    }
    await work();
  } finally {
    strace.kill('SIGINT');
    await gone;
  }
  const lines = readFileSync(output, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  return lines.filter((line) => line !== '' && !line.includes('resumed>'));
}

const isTraced = (pid: number): boolean => !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
