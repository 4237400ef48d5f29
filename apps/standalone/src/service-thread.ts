import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RunningService, ServiceSettings } from '@retrace/messaging';
import { Logger } from '@nestjs/common';
import type { ServiceName } from '@retrace/contracts';

const PAUSE_MS = 500;

/**
 * Starts a service in a thread of its own; it meets the others over the bus alone. One that ends without being asked
 * to is started again: its store and position tell it where to go on.
 */
export async function startServiceThread(
  name: ServiceName,
  entry: URL,
  settings: Omit<ServiceSettings, 'localCalls'>,
): Promise<RunningService> {
  const logger = new Logger(name);
  let closing = false;
  let worker: Worker;
  const start = async (): Promise<void> => {
    worker = new Worker(entry, { workerData: settings });
    worker.on('error', (error) => logger.error(error));
    worker.once('exit', again);
    await ready(worker);
  };
  const again = (): void => {
    if (closing) return;
    logger.warn('ended; starting it again');
    setTimeout(() => {
      if (!closing) start().catch((error: unknown) => logger.error(error));
    }, PAUSE_MS);
  };
  await start();
  return {
    name,
    close: async () => {
      closing = true;
      const gone = once(worker, 'exit');
      worker.postMessage('close');
      await gone;
    },
  };
}

/** Rejects when the thread ends before it is ready. */
function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread ended with ${code} while starting`)));
  });
}
