import 'reflect-metadata';
import { parentPort, workerData } from 'node:worker_threads';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { projectionService } from '@retrace/projection';
import { type ServiceSettings, startService } from '@retrace/messaging';

/** Runs projection beside the main thread: its SQL would stand in the way of every write there. */
Logger.overrideLogger(new ConsoleLogger({ json: true }));
const service = await startService(projectionService, workerData as ServiceSettings);
parentPort!.once('message', () => {
  void service.close().finally(() => parentPort!.close());
});
parentPort!.postMessage('ready');
