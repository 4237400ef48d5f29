import type { ServiceDefinition } from '@retrace/messaging';
import { executionService } from '@retrace/execution';
import { policyService } from '@retrace/policy';
import { projectionService } from '@retrace/projection';
import { rollbackService } from '@retrace/rollback';
import { snapshotService } from '@retrace/snapshot';

/**
 * In the order of their start: each finds those it calls. Policy comes last, because it opens the agents' door; the
 * order of the stop is the reverse.
 */
export const ALL_SERVICES: readonly ServiceDefinition[] = [
  snapshotService,
  executionService,
  projectionService,
  rollbackService,
  policyService,
];
