import type { ServiceName } from '@retrace/contracts';
import {
  type Durability,
  LocalCalls,
  type OpenTap,
  openTap,
  type RetraceHome,
  type RunningService,
  startBus,
  startService,
} from '@retrace/messaging';
import { lockFolder } from '@retrace/platform';
import { Logger } from '@nestjs/common';
import { Announcement } from './announce.js';
import { startServiceThread } from './service-thread.js';
import { MAIN_SERVICES, PROJECTION_WORKER } from './services.js';

export interface StandaloneOptions {
  readonly home: RetraceHome;
  /** Of the bus; -1 takes a free one. */
  readonly port?: number;
  /** A bus that runs already. */
  readonly url?: string | undefined;
  readonly durability?: Durability;
}

export interface RunningSystem {
  readonly url: string;
  /** Drains the services, then stops the bus; nothing is left behind. */
  stop(): Promise<void>;
}

/** Runs the whole system in this process. Rejects, with nothing left running, when any of it cannot start. */
export async function startStandalone({
  home,
  port,
  url,
  durability = 'process',
}: StandaloneOptions): Promise<RunningSystem> {
  const logger = new Logger('standalone');
  const lock = lockFolder(home.folder);
  const announcement = new Announcement(home, 'standalone');
  const onRestarted = (pid: number): void => announcement.correct(pid);
  const running: RunningService[] = [];
  let ears: OpenTap | undefined;
  const bus = await startBus(home, {
    port: port ?? -1,
    url,
    durability,
    onRestart: (why) => logger.warn(why),
    onRestarted,
  }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await announcement.withdraw();
    for (const service of running.toReversed())
      await service.close().catch((error: unknown) => logger.error(`${service.name}: ${String(error)}`));
    await ears?.close();
    await bus.stop();
    lock.release();
  };
  try {
    const localCalls = new LocalCalls();
    // Projection's rights are to read: it needs all of the log, and may say nothing.
    ears = await openTap({ url: bus.url, ...bus.credentials('projection') });
    const { tap } = ears;
    const settings = (name: ServiceName) => ({
      url: bus.url,
      ...bus.credentials(name),
      dataDir: home.data,
      home: home.folder,
      durability,
    });
    running.push(await startServiceThread('projection', PROJECTION_WORKER, settings('projection')));
    for (const definition of MAIN_SERVICES)
      running.push(await startService(definition, { ...settings(definition.name), localCalls, tap }));
    await announcement.publish(bus.url, bus.pid);
    return { url: bus.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
