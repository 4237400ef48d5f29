import { spawn } from 'node:child_process';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endOrphans } from './end-orphans.js';
import { NatsServerError } from './nats-server-error.js';
import { NatsServerProcess } from './nats-server-process.js';
import { endWithThisProcess } from './parent-watchdog.js';
import { prepareFolderForPortsFile, readPortsFile } from './ports-file.js';

const READY_TIMEOUT_MS = 60_000; // a long log is checked before the port opens
const POLL_MS = 5;
const FREE_PORT = -1;

export type LaunchNatsServerOptions = {
  /** Path of nats-server, see `findNatsServer`. */
  readonly binary: string;
  readonly configFile: string;
  /** Folder of this server alone; made if missing. The ports file goes to `run/` in it. */
  readonly dataDir: string;
  /** -1 (the default) takes a free one. Wins over the configuration's. */
  readonly port?: number;
  readonly host?: string;
  /** Appended to; receives all output, crashes included. */
  readonly logFile: string;
};

type Launch = Required<LaunchNatsServerOptions> & { readonly portsDir: string };

const portInUse = ({ host, port }: Launch): NatsServerError =>
  new NatsServerError(
    'port_in_use',
    `Port ${port} on ${host} is in use by another program. Stop that program, choose another port, or set NATS_URL if it is the NATS server to use.`,
  );

/** Asked before the server starts: it opens its store before its port, and the other program may be serving that store. */
const assertPortIsFree = (launch: Launch): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? portInUse(launch) : error),
    );
    probe.listen(launch.port, launch.host, () => probe.close(() => resolve()));
  });

/** No two servers may have it in common: by it a server is known as the one of this folder. */
const portsArgument = ({ portsDir }: Launch): string => `--ports_file_dir=${portsDir}`;

const prepare = async (launch: Launch): Promise<void> => {
  await mkdir(launch.dataDir, { recursive: true, mode: 0o700 });
  await mkdir(dirname(launch.logFile), { recursive: true, mode: 0o700 });
  await endOrphans(portsArgument(launch));
  await prepareFolderForPortsFile(launch.portsDir);
  if (launch.port !== FREE_PORT) await assertPortIsFree(launch);
};

const argumentsOf = (launch: Launch): string[] => [
  `--config=${launch.configFile}`,
  `--addr=${launch.host}`,
  `--port=${launch.port}`,
  portsArgument(launch),
];

/** Starts it in a session of its own: Ctrl-C signals the whole group, and services drain over a bus that still runs. */
const start = async (launch: Launch): Promise<NatsServerProcess> => {
  const log = await open(launch.logFile, 'a', 0o600);
  try {
    const stdio = ['ignore', log.fd, log.fd] as const;
    const child = spawn(launch.binary, argumentsOf(launch), { detached: true, stdio: [...stdio] });
    const server = new NatsServerProcess(child);
    await server.spawned;
    endWithThisProcess(child);
    return server;
  } finally {
    await log.close();
  }
};

/** What this start wrote to the log, for the error message. */
const readLogFrom = async ({ logFile }: Launch, offset: number): Promise<string> =>
  (await readFile(logFile)).subarray(offset).toString('utf8').trimEnd().split('\n').slice(-5).join('\n');

const notReady = async (launch: Launch, offset: number, why: string): Promise<NatsServerError> => {
  const log = await readLogFrom(launch, offset);
  if (log.includes('address already in use')) return portInUse(launch);
  return new NatsServerError('nats_server_not_ready', `nats-server ${why}. Log ${launch.logFile} ends with:\n${log}`);
};

const waitUntilReady = async (launch: Launch, server: NatsServerProcess, offset: number): Promise<number> => {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (server.isRunning && Date.now() < deadline) {
    const port = await readPortsFile(launch.portsDir, server.pid);
    if (port) return port;
    await sleep(POLL_MS);
  }
  const why = server.isRunning ? `did not listen within ${READY_TIMEOUT_MS / 1000} s` : 'ended while starting';
  await server.kill();
  throw await notReady(launch, offset, why);
};

export type NatsServerHandle = Pick<NatsServerProcess, 'pid' | 'exited' | 'stop' | 'kill' | 'reload'> & {
  readonly url: string;
  readonly port: number;
};

/**
 * Starts nats-server as a child that ends with this process, and resolves when clients can connect. The folder belongs to
 * the caller alone: a server that runs on it already was left behind and is ended first.
 *
 * Errors: `port_in_use`, `nats_server_missing` (the binary does not start), `nats_server_not_ready` (with the log's end).
 */
export const launchNatsServer = async (options: LaunchNatsServerOptions): Promise<NatsServerHandle> => {
  const launch = { port: FREE_PORT, host: '127.0.0.1', ...options, portsDir: join(options.dataDir, 'run') };
  await prepare(launch);
  const offset = await stat(launch.logFile).then(
    ({ size }) => size,
    () => 0,
  );
  const server = await start(launch);
  const port = await waitUntilReady(launch, server, offset);
  return {
    url: `nats://${launch.host}:${port}`,
    port,
    pid: server.pid,
    exited: server.exited,
    stop: () => server.stop(),
    kill: () => server.kill(),
    reload: () => server.reload(),
  };
};
