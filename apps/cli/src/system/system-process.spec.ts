import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Runtime, writeRuntime } from '@retrace/messaging';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Home, homeAt } from '../home/home.js';
import { explainSilence, runningSystem } from '../home/runtime-file.js';
import { runAttached, startDetached } from './start-system.js';
import { stopSystem } from './stop-system.js';

describe('the process of the system', () => {
  let home: Home;
  beforeEach(async () => {
    home = homeAt(await mkdtemp(join(tmpdir(), 'retrace-process-')), {}, '/');
  });
  afterEach(() => rm(home.folder, { recursive: true }));

  const program = async (name: string, text: string): Promise<string> => {
    const file = join(home.folder, name);
    await writeFile(file, text);
    return file;
  };
  const runtimeOf = (pid: number): Runtime => ({
    url: 'nats://127.0.0.1:1',
    pid,
    nats_pid: null,
    mode: 'standalone',
    started_at: 'then',
    version: '0',
  });
  const startProgram = async (name: string) => {
    const text = 'process.stdout.write("up"); setInterval(() => undefined, 1000);';
    const child = spawn(process.execPath, [await program(name, text)], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    await writeRuntime(home, runtimeOf(child.pid!));
    return child;
  };

  it('that ends while starting is told of with the end of its log', async () => {
    const entry = await program(
      'standalone.mjs',
      `console.log(JSON.stringify({ level: 'error', message: 'port_in_use: ' + process.env.RETRACE_PORT }));
       console.log(process.env.RETRACE_HOME); process.exit(3);`,
    );
    const error: unknown = await startDetached({ home, entry, env: {}, port: 4222 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'start_failed',
      message: 'the system ended while starting (exit 3)',
      output: ['error port_in_use: 4222', home.folder],
    });
    expect((await stat(home.standaloneLog)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is interrupted', { signal: 'SIGINT', why: 'interrupted by SIGINT' }],
    ['is asked to end', { signal: 'SIGTERM', why: 'interrupted by SIGTERM' }],
    ['waits too long', { timeoutMs: 1_000, why: 'the system is not ready after 1 s' }],
  ] as [string, { signal?: NodeJS.Signals; timeoutMs?: number; why: string }][])(
    'that is starting is ended in order when who starts it %s',
    async (_, { signal, timeoutMs, why }) => {
      const entry = await program(
        'standalone.mjs',
        `process.on('SIGTERM', () => setTimeout(() => { console.log('ended in order'); process.exit(0); }, 200));
         console.log('pid ' + process.pid); setInterval(() => undefined, 1000);`,
      );
      const listeners = process.listenerCount('SIGINT');
      const failed = startDetached({ home, entry, env: {}, timeoutMs }).catch((caught: unknown) => caught);
      const log = () => readFile(home.standaloneLog, 'utf8').catch(() => '');
      while (!(await log()).includes('pid ')) await sleep(20);
      if (signal) process.emit(signal, signal);
      expect(await failed).toMatchObject({
        code: 'start_failed',
        message: why,
        output: [expect.stringMatching(/^pid /), 'ended in order'],
      });
      const pid = Number(/pid (\d+)/.exec(await log())![1]);
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      expect(process.listenerCount('SIGINT')).toBe(listeners);
    },
  );

  it('that is attached says where it is and what stops it, and answers with its exit code', async () => {
    const entry = await program('standalone.mjs', 'process.exit(process.env.RETRACE_PORT === "4222" ? 7 : 1);');
    let told = '';
    const options = { home, entry, env: {}, port: 4222 };
    expect(await runAttached(options, (text) => void (told += text))).toBe(7);
    expect(told).toBe(`home: ${home.folder}\nCtrl-C stops it\n`);
  });

  it('is stopped by its pid, and its file removed', async () => {
    const child = await startProgram('standalone.mjs');
    const gone = once(child, 'exit');
    expect(await stopSystem(home)).toMatchObject({ pid: child.pid });
    expect(await gone).toEqual([null, 'SIGTERM']);
    await expect(runningSystem(home)).rejects.toMatchObject({ code: 'not_running' });
  });

  it('is never taken for another program that has its pid by now', async () => {
    const child = await startProgram('other.mjs');
    expect(await stopSystem(home)).toBeUndefined();
    expect(child.exitCode).toBeNull();
    expect(child.signalCode).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('that is gone explains why nobody answers; one that runs does not', async () => {
    const silence = Object.assign(new Error('no connection'), { code: 'unavailable' });
    const child = await startProgram('standalone.mjs');
    await expect(explainSilence(home, runtimeOf(child.pid!), silence)).rejects.toBe(silence);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(explainSilence(home, runtimeOf(child.pid!), silence)).rejects.toMatchObject({ code: 'not_running' });
  });
});
