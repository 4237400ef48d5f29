import { executionService } from '@retrace/execution';
import type { ServiceDefinition } from '@retrace/messaging';
import { policyService } from '@retrace/policy';
import { rollbackService } from '@retrace/rollback';
import { snapshotService } from '@retrace/snapshot';

/**
 * The services of the main thread, in the order of their start: each finds those it calls. Policy comes last, because
 * it opens the agents' door; the order of the stop is the reverse. Projection, which nobody calls, has its own thread.
 */
export const MAIN_SERVICES: readonly ServiceDefinition[] = [
  snapshotService,
  executionService,
  rollbackService,
  policyService,
];

export const PROJECTION_WORKER = new URL('./projection-worker.js', import.meta.url);
