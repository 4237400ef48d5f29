import 'reflect-metadata';
import { parentPort, workerData } from 'node:worker_threads';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { projectionService } from '@retrace/projection';
import { openTap, type ServiceSettings, startService } from '@retrace/messaging';

/** Runs projection beside the main thread: its SQL would stand in the way of every write there. */
Logger.overrideLogger(new ConsoleLogger({ json: true }));
const settings = workerData as ServiceSettings;
const ears = await openTap(settings);
const service = await startService(projectionService, { ...settings, tap: ears.tap });
const close = async (): Promise<void> => {
  await service.close();
  await ears.close();
};
parentPort!.once('message', () => {
  void close().finally(() => parentPort!.close());
});
parentPort!.postMessage('ready');
