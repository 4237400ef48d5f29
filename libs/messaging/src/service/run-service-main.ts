import { ConsoleLogger, Logger } from '@nestjs/common';
import { z } from 'zod';
import type { ServiceDefinition, ServiceSettings } from './service-definition.js';
import { startWhenFree } from './start-when-free.js';
import { surviveFullLog } from './survive-full-log.js';

/** What a service process reads from its environment. */
const EnvironmentSchema = z.object({
  RETRACE_URL: z.string().min(1),
  RETRACE_USER: z.string().min(1),
  RETRACE_PASSWORD: z.string().min(1),
  RETRACE_DATA: z.string().min(1),
  RETRACE_HOME: z.string().min(1).optional(),
  RETRACE_DURABILITY: z.enum(['process', 'power']).default('process'),
});

export function settingsFrom(environment: NodeJS.ProcessEnv): ServiceSettings {
  const parsed = EnvironmentSchema.safeParse(environment);
  if (!parsed.success) throw new Error(`environment of the service:\n${z.prettifyError(parsed.error)}`);
  const { RETRACE_URL, RETRACE_USER, RETRACE_PASSWORD, RETRACE_DATA, RETRACE_HOME, RETRACE_DURABILITY } = parsed.data;
  return {
    url: RETRACE_URL,
    user: RETRACE_USER,
    password: RETRACE_PASSWORD,
    dataDir: RETRACE_DATA,
    ...(RETRACE_HOME === undefined ? {} : { home: RETRACE_HOME }),
    durability: RETRACE_DURABILITY,
  };
}

/** Runs one service as this process until SIGTERM or SIGINT, then drains it. Tells its supervisor `ready` once it answers. */
export async function runServiceMain(definition: ServiceDefinition): Promise<void> {
  surviveFullLog();
  const logger = new ConsoleLogger({ json: true });
  Logger.overrideLogger(logger);
  try {
    const starting = startWhenFree(definition, settingsFrom(process.env));
    // Before it is up: a supervisor that dies meanwhile would be missed, and the service would outlive it.
    untilSignalled(async () => (await starting).close(), logger);
    await starting;
    process.send?.({ ready: definition.name });
  } catch (error) {
    logger.error(error instanceof Error ? (error.stack ?? error.message) : error);
    process.exit(1);
  }
}

/** Closes once on the first signal; a second one of the same kind does not hurry the drain. */
export function untilSignalled(close: () => Promise<void>, logger: ConsoleLogger): void {
  let closing: Promise<void> | undefined;
  const stop = (): void => {
    closing ??= close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  // A supervisor that dies takes its services along, drained.
  process.on('disconnect', stop);
  process.on('SIGINT', stop);
}
