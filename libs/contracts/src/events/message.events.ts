import { z } from 'zod';
import { defineEvent } from './define-event.js';

/** A service met a message that no retry can help, and passed it by. */
export const MessageRejected = defineEvent(
  'message',
  'rejected',
  1,
  z.object({
    service: z.string(),
    stream: z.string(),
    sequence: z.int().min(1),
    subject: z.string(),
    rejected_event_id: z.string().nullable(),
    reason: z.string(),
    message: z.string(),
  }),
);
