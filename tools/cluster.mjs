#!/usr/bin/env node
// Every service as a process of its own on this machine: `up` starts them in the background, `down` ends them.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRuntime, retraceHome } from '@retrace/messaging';

const USAGE = `cluster up|down    every service as a process of its own; the folder is RETRACE_HOME`;
const ENTRY = fileURLToPath(new URL('../apps/standalone/dist/cluster-main.js', import.meta.url));
const START_TIMEOUT_MS = 180_000;
const home = retraceHome();

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A pid is ours only while its process is the supervisor that we start. */
const isOurs = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cluster-main');
  } catch {
    return false;
  }
};

async function up() {
  const running = await readRuntime(home);
  if (running && isAlive(running.pid))
    throw new Error(`${running.mode} runs already as process ${running.pid}: cluster down`);
  mkdirSync(home.logs, { recursive: true, mode: 0o700 });
  const logFile = join(home.logs, 'cluster.log');
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, [ENTRY], { detached: true, stdio: ['ignore', log, log] });
  let why;
  const gone = new Promise((resolve) => {
    child.once('exit', resolve);
    child.on('error', resolve);
  });
  void gone.then(() => (why ??= 'the cluster ended while starting'));
  const interrupt = (signal) => {
    why ??= `interrupted by ${signal}`;
    child.kill('SIGTERM');
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const runtime = await readRuntime(home);
      if (why) throw new Error(why);
      if (runtime?.pid === child.pid)
        return process.stdout.write(`cluster is up: ${runtime.url}, process ${runtime.pid}\n`);
      if (Date.now() > deadline) throw new Error(`the cluster is not up after ${START_TIMEOUT_MS / 1000} s`);
      await sleep(50);
    }
  } catch (error) {
    // Nothing that nobody knows of is left behind.
    child.kill('SIGTERM');
    await gone;
    const end = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
    throw new Error(end === '' ? error.message : `${error.message}:\n${end}`, { cause: error });
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    child.unref();
  }
}

async function down() {
  const runtime = await readRuntime(home);
  if (!runtime || !isOurs(runtime.pid)) return process.stdout.write('no cluster is up\n');
  process.kill(runtime.pid, 'SIGTERM');
  while (isAlive(runtime.pid)) await sleep(50);
  process.stdout.write('cluster is down\n');
}

const command = { up, down }[process.argv[2] ?? ''];
try {
  if (!command) throw new Error(USAGE);
  await command();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
