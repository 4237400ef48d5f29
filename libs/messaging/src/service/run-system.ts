import { ConsoleLogger, Logger } from '@nestjs/common';
import { untilSignalled } from './run-service-main.js';
import { surviveFullLog } from './survive-full-log.js';

/** Runs a whole system as this process until SIGTERM or SIGINT, then drains it. Prints `ready` and the bus address. */
export async function runSystem(
  name: string,
  start: () => Promise<{ readonly url: string; stop(): Promise<void> }>,
): Promise<void> {
  surviveFullLog();
  const logger = new ConsoleLogger({ json: true });
  Logger.overrideLogger(logger);
  const starting = start();
  // A signal during the start stops what came up by then.
  untilSignalled(async () => (await starting).stop(), logger);
  try {
    const { url } = await starting;
    process.stdout.write(`${JSON.stringify({ ready: name, url, pid: process.pid })}\n`);
  } catch (error) {
    const { code, message, stack } = error as { code?: string; message?: string; stack?: string };
    logger.error(code === undefined ? (stack ?? message) : `${code}: ${message}`);
    process.exit(1);
  }
}
