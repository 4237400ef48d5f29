import { z } from 'zod';
import { DEFAULT_TIMINGS, type PolicyTimings } from './timings.js';

const wait = (defaultMs: number) => z.coerce.number().int().positive().default(defaultMs);

/** What policy reads from its environment. */
const EnvironmentSchema = z.object({
  RETRACE_BLOB_WAIT_MS: wait(DEFAULT_TIMINGS.blobWaitMs),
  RETRACE_FACTS_PARK_MS: wait(DEFAULT_TIMINGS.factsParkMs),
  RETRACE_FACTS_WAIT_MS: wait(DEFAULT_TIMINGS.factsGiveUpMs),
});

/** How long policy waits, where the environment says so; throws where that says it wrongly. */
export function timingsFrom(environment: NodeJS.ProcessEnv): PolicyTimings {
  const parsed = EnvironmentSchema.safeParse(environment);
  if (!parsed.success) throw new Error(`environment of policy:\n${z.prettifyError(parsed.error)}`);
  const { RETRACE_BLOB_WAIT_MS, RETRACE_FACTS_PARK_MS, RETRACE_FACTS_WAIT_MS } = parsed.data;
  return {
    ...DEFAULT_TIMINGS,
    blobWaitMs: RETRACE_BLOB_WAIT_MS,
    factsParkMs: RETRACE_FACTS_PARK_MS,
    factsGiveUpMs: RETRACE_FACTS_WAIT_MS,
  };
}
