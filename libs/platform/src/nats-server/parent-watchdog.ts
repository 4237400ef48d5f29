import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Blocks on its standard input, whose other end this process holds: the kernel closes it however we die. */
const SCRIPT = `
while read -r _; do :; done
kill -TERM "$1" 2>/dev/null || exit 0
for _ in 1 2 3 4 5; do sleep 1; kill -0 "$1" 2>/dev/null || exit 0; done
kill -KILL "$1" 2>/dev/null`;

/**
 * Terminates `child` when this process is gone, SIGKILL included, and goes away with `child`.
 *
 * Why a shell and a pipe: `setpriv --pdeathsig` needs no second process, but util-linux is not everywhere (macOS,
 * Alpine), and its signal comes when the *thread* that started the child ends, so a launch from a worker thread would take
 * the bus down with that worker. A pipe is closed by the process's death alone, and every system has `sh`.
 */
export const endWithThisProcess = (child: ChildProcess): void => {
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'retrace-watchdog', String(child.pid)], {
    // A session of its own: what signals our process group (Ctrl-C, a terminal that closes) must not end the watchdog.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.once('error', () => child.kill('SIGTERM')); // no watchdog, no server: better than one that nobody stops
  watchdog.stdin.on('error', () => {}); // it ended first
  watchdog.unref();
  (watchdog.stdin as Socket).unref();
  child.once('exit', () => watchdog.kill('SIGKILL')); // before the pid can be given to somebody else
};
