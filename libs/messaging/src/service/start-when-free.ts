import { setTimeout as sleep } from 'node:timers/promises';
import { FolderLocked } from '@retrace/platform';
import type { RunningService, ServiceDefinition, ServiceSettings } from './service-definition.js';
import { startService } from './start-service.js';

/** A service that loses its supervisor drains for seconds: longer where the bus is gone too. */
const LOCK_WAIT_MS = 30_000;
const LOCK_PAUSE_MS = 100;

/**
 * Waits for a data folder that is locked: where a supervisor was killed and started again, the services of the first one
 * are still on their way out. Who is there to stay is named in the end.
 */
export async function startWhenFree(
  definition: ServiceDefinition,
  settings: ServiceSettings,
  waitMs = LOCK_WAIT_MS,
): Promise<RunningService> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await startService(definition, settings);
    } catch (error) {
      if (!(error instanceof FolderLocked) || performance.now() > deadline) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
}
