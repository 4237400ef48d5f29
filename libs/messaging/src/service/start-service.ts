import { join } from 'node:path';
import { LOG_STREAM } from '@retrace/contracts';
import { JetStreamEventLog, RememberedTail, TailStore } from '@retrace/event-log';
import { lockFolder } from '@retrace/platform';
import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CallClient } from '../calls/call-client.js';
import { connectBus } from '../connect-bus.js';
import { KeepErrorFilter } from '../transport/keep-error.filter.js';
import { RetraceTransport } from '../transport/retrace-transport.js';
import { tailLimitsFrom } from './tail-limits.js';
import { pingController, type Readiness } from './ping.controller.js';
import type {
  OpenedService,
  RunningService,
  ServiceContext,
  ServiceDefinition,
  ServiceSettings,
} from './service-definition.js';

@Module({})
class ServiceRoot {}

/**
 * Starts a service: connects it, opens its stores, binds its handlers to lanes and calls, and waits until it is ready.
 * Rejects, with nothing left open, when it cannot start.
 */
export async function startService(definition: ServiceDefinition, settings: ServiceSettings): Promise<RunningService> {
  const { name } = definition;
  const logger = new Logger(name);
  const readiness: Readiness = { ready: false, problems: () => opened?.problems?.() ?? [] };
  const dataDir = join(settings.dataDir, name);
  // One machine: the lock of the data folder is the service's lease.
  const lock = lockFolder(dataDir);
  const connection = await connectBus({ ...settings, name: `retrace/${name}` }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const durability = settings.durability ?? 'process';
  let transport: RetraceTransport | undefined;
  let opened: OpenedService | undefined;
  let tail: RememberedTail | undefined;
  try {
    const onTrouble = (message: string): void => logger.warn(message);
    tail = await RememberedTail.open(connection, TailStore.open(dataDir, durability, tailLimitsFrom(process.env)), {
      onTrouble,
    });
    const context: ServiceContext = {
      name,
      connection,
      dataDir,
      home: settings.home ?? settings.dataDir,
      durability,
      calls: CallClient.forService(connection, settings.localCalls),
      log: await JetStreamEventLog.open(connection, LOG_STREAM, tail),
      tail,
      addLane: (lane) => transport?.logLanes?.addLane(lane),
      openIntents: async () => transport?.openIntents(),
    };
    opened = await definition.open(context);
    tail.begin();
    transport = new RetraceTransport({
      connection,
      tail,
      ...(opened.log && { log: opened.log }),
      ...(opened.intents && { intents: opened.intents }),
      ...(settings.tap && { tap: settings.tap }),
      ...(settings.localCalls && { localCalls: settings.localCalls }),
      ...(opened.settle && { settle: opened.settle }),
      onTrouble: (where, error, about) => logger.warn(`${where}${about ? ` ${about}` : ''}: ${describe(error)}`),
    });
    const root: DynamicModule = {
      module: ServiceRoot,
      imports: [opened.module],
      controllers: [pingController(name, readiness)],
    };
    const app = await NestFactory.createMicroservice(root, {
      strategy: transport,
      abortOnError: false,
      logger: ['warn', 'error', 'fatal'],
    });
    app.useGlobalFilters(new KeepErrorFilter());
    await app.listen();
    await opened.afterStart?.();
    readiness.ready = true;
    const [service, remembered] = [opened, tail];
    const shutDown = async (): Promise<void> => {
      readiness.ready = false;
      service.beforeClose?.();
      await app.close();
      await service.close?.();
      await remembered.close();
      lock.release();
    };
    let closing: Promise<void> | undefined;
    // Once: the lock's file descriptor may be somebody else's after the first time.
    return { name, close: () => (closing ??= shutDown()) };
  } catch (error) {
    await transport?.close().catch(() => undefined);
    // Before the service: what waits for the log to be whole is let go.
    await tail?.close().catch(() => undefined);
    await opened?.close?.().catch(() => undefined);
    await connection.close();
    lock.release();
    throw error;
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
