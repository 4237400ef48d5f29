import {
  type Durability,
  LocalCalls,
  removeRuntime,
  type RetraceHome,
  type RunningService,
  startBus,
  startService,
  writeRuntime,
} from '@retrace/messaging';
import { lockFolder } from '@retrace/platform';
import { Logger } from '@nestjs/common';
import { ALL_SERVICES } from './services.js';
import { VERSION } from './version.js';

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
  const running: RunningService[] = [];
  const bus = await startBus(home, { port: port ?? -1, url, durability, onRestart: (why) => logger.warn(why) }).catch(
    (error: unknown) => {
      lock.release();
      throw error;
    },
  );
  const stop = async (): Promise<void> => {
    await removeRuntime(home);
    for (const service of running.toReversed())
      await service.close().catch((error: unknown) => logger.error(`${service.name}: ${String(error)}`));
    await bus.stop();
    lock.release();
  };
  try {
    const localCalls = new LocalCalls();
    for (const definition of ALL_SERVICES) {
      const login = bus.credentials(definition.name);
      running.push(
        await startService(definition, { url: bus.url, ...login, dataDir: home.data, durability, localCalls }),
      );
    }
    await writeRuntime(home, {
      url: bus.url,
      pid: process.pid,
      nats_pid: bus.pid,
      mode: 'standalone',
      started_at: new Date().toISOString(),
      version: VERSION,
    });
    return { url: bus.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
