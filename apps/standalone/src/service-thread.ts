import { Worker } from 'node:worker_threads';
import type { RunningService, ServiceSettings } from '@retrace/messaging';
import { Logger } from '@nestjs/common';
import type { ServiceName } from '@retrace/contracts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Starts a service in a thread of its own; it meets the others over the bus alone. One that ends without being asked
 * to is started again, until it stands: its store and position tell it where to go on.
 */
export async function startServiceThread(
  name: ServiceName,
  entry: URL,
  settings: Omit<ServiceSettings, 'localCalls'>,
): Promise<RunningService> {
  const logger = new Logger(name);
  let closing = false;
  let pause = FIRST_PAUSE_MS;
  let restart: NodeJS.Timeout | undefined;
  let worker: Worker | undefined;
  let gone: Promise<void>;
  const start = async (): Promise<void> => {
    const started = new Worker(entry, { workerData: settings });
    worker = started;
    started.on('error', (error) => logger.error(error));
    gone = new Promise((resolve) => started.once('exit', () => resolve()));
    await ready(started);
    pause = FIRST_PAUSE_MS;
    void gone.then(() => again('ended'));
  };
  const again = (why: string): void => {
    if (closing) return;
    logger.warn(`${why}; starting it again`);
    restart = setTimeout(() => {
      start().catch((error: unknown) => again(String(error)));
    }, pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };
  await start();
  return {
    name,
    close: async () => {
      closing = true;
      clearTimeout(restart);
      // -1: it has ended, and the next one was not started yet.
      if (!worker || worker.threadId === -1) return;
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
