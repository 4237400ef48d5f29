import { z } from 'zod';

/** What `standalone` and `cluster` read from their environment. */
const EnvironmentSchema = z.object({
  RETRACE_PORT: z.coerce.number().int().min(-1).max(65_535).default(-1),
  RETRACE_DURABILITY: z.enum(['process', 'power']).default('process'),
  NATS_URL: z.string().min(1).optional(),
});

export function parseEnvironment(environment: NodeJS.ProcessEnv) {
  const parsed = EnvironmentSchema.safeParse(environment);
  if (!parsed.success) throw new Error(`environment:\n${z.prettifyError(parsed.error)}`);
  const { RETRACE_PORT, RETRACE_DURABILITY, NATS_URL } = parsed.data;
  return { port: RETRACE_PORT, durability: RETRACE_DURABILITY, url: NATS_URL };
}
