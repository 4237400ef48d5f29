import { z } from 'zod';

/** The body of an RPC answer that carries an error. */
export const ProblemSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type Problem = z.infer<typeof ProblemSchema>;
