import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@retrace/contracts';
import { type Durability, type RetraceHome, startBus } from '@retrace/messaging';
import { lockFolder } from '@retrace/platform';
import { Logger } from '@nestjs/common';
import { Announcement } from './announce.js';
import { ServiceChild } from './service-child.js';
import type { RunningSystem } from './standalone.js';

export interface ClusterOptions {
  readonly home: RetraceHome;
  readonly port?: number;
  readonly url?: string | undefined;
  readonly durability?: Durability;
}

export interface RunningCluster extends RunningSystem {
  pidOf(service: ServiceName): number | undefined;
}

/** Each finds those it calls; policy, which opens the agents' door, comes last. */
const ORDER: readonly ServiceName[] = ['snapshot', 'execution', 'projection', 'rollback', 'policy'];

const entryOf = (service: ServiceName): string =>
  fileURLToPath(new URL(`../../${service}/dist/main.js`, import.meta.url));

/** Runs every service as a process of its own on this machine, and watches over them. */
export async function startCluster({
  home,
  port,
  url,
  durability = 'process',
}: ClusterOptions): Promise<RunningCluster> {
  const logger = new Logger('cluster');
  const lock = lockFolder(home.folder);
  const announcement = new Announcement(home, 'cluster');
  const onRestarted = (pid: number): void => announcement.correct(pid);
  const children = new Map<ServiceName, ServiceChild>();
  const onRestart = (why: string): void => logger.warn(why);
  const bus = await startBus(home, { port: port ?? -1, url, durability, onRestart, onRestarted }).catch(
    (error: unknown) => {
      lock.release();
      throw error;
    },
  );
  const stop = async (): Promise<void> => {
    await announcement.withdraw();
    for (const child of [...children.values()].toReversed()) await child.stop();
    await bus.stop();
    lock.release();
  };
  try {
    await mkdir(home.logs, { recursive: true, mode: 0o700 });
    for (const name of ORDER) {
      const { user, password } = bus.credentials(name);
      const environment = {
        ...process.env,
        RETRACE_URL: bus.url,
        RETRACE_USER: user,
        RETRACE_PASSWORD: password,
        RETRACE_DATA: home.data,
        RETRACE_HOME: home.folder,
        RETRACE_DURABILITY: durability,
      };
      const child = new ServiceChild({
        name,
        entry: entryOf(name),
        environment,
        logFile: join(home.logs, `${name}.log`),
        onRestart,
      });
      children.set(name, child);
      await child.start();
    }
    await announcement.publish(bus.url, bus.pid);
    return { url: bus.url, stop, pidOf: (service) => children.get(service)?.pid };
  } catch (error) {
    await stop();
    throw error;
  }
}
