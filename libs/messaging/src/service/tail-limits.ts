import { DEFAULT_TAIL_LIMITS, type TailLimits } from '@retrace/event-log';
import { z } from 'zod';

const EnvironmentSchema = z.object({
  RETRACE_TAIL_MINUTES: z.coerce.number().positive().optional(),
  RETRACE_TAIL_MIB: z.coerce.number().positive().optional(),
});

/** How much a service remembers of what it published: `RETRACE_TAIL_MINUTES` (10), `RETRACE_TAIL_MIB` (256). */
export function tailLimitsFrom(environment: NodeJS.ProcessEnv): TailLimits {
  const parsed = EnvironmentSchema.safeParse(environment);
  if (!parsed.success) throw new Error(`environment of the service:\n${z.prettifyError(parsed.error)}`);
  const { RETRACE_TAIL_MINUTES: minutes, RETRACE_TAIL_MIB: mib } = parsed.data;
  return {
    windowMs: minutes === undefined ? DEFAULT_TAIL_LIMITS.windowMs : minutes * 60_000,
    maxBytes: mib === undefined ? DEFAULT_TAIL_LIMITS.maxBytes : mib * 1024 * 1024,
  };
}
