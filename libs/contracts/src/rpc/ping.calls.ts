import { z } from 'zod';
import { defineCall } from './define-call.js';

export const SERVICES = ['policy', 'execution', 'snapshot', 'projection', 'rollback'] as const;
export type ServiceName = (typeof SERVICES)[number];

const PingReplySchema = z.object({
  service: z.string(),
  pid: z.int(),
  started_at: z.string(),
  ready: z.boolean(),
  /** What does not work although the service runs, a line each. */
  problems: z.array(z.string()).default([]),
});

/** Each service answers under its own name: is it up, and has it caught up with the log. */
export const pingCall = (service: ServiceName) => defineCall(service, 'ping', z.object({}), PingReplySchema);
