import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const POLL_MS = 50;

/** The command line of a process; empty where there is none (gone, or a zombie that nobody has waited for). */
export async function commandLineOf(pid: number): Promise<string> {
  const file = `/proc/${pid}/cmdline`;
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return text.replaceAll('\0', ' ').trim();
  const hasProc = await access('/proc/self/cmdline').then(
    () => true,
    () => false,
  );
  if (hasProc) return '';
  const { stdout } = await run('ps', ['-p', String(pid), '-o', 'command=']).catch(() => ({ stdout: '' }));
  return stdout.trim();
}

/** Whether `pid` runs and is what we take it for. */
export const isProcess = async (pid: number, word: string): Promise<boolean> =>
  (await commandLineOf(pid)).includes(word);

/** Waits until the process is gone; answers false when it still runs after `timeoutMs`. */
export async function untilGone(pid: number, word: string, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (await isProcess(pid, word)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
