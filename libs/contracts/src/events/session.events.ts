import { z } from 'zod';
import { SessionIdSchema } from '../ids.js';
import { ModelSchema } from '../intent.js';
import { PrincipalSchema } from '../names.js';
import { defineEvent } from './define-event.js';
import { AnsweredIntentSchema } from './intent.events.js';

export const SessionOpened = defineEvent(
  'session',
  'opened',
  1,
  z.object({
    ...AnsweredIntentSchema.shape,
    session_id: SessionIdSchema,
    agent: PrincipalSchema,
    task: z.string(),
    conversation_id: z.string().nullable(),
    model: ModelSchema.nullable(),
  }),
);

/** From here on the session writes nothing. */
export const SessionCompleted = defineEvent(
  'session',
  'completed',
  1,
  z.object({ ...AnsweredIntentSchema.shape, session_id: SessionIdSchema }),
);
