import { z } from 'zod';
import { PrincipalSchema } from '../names.js';
import { ActionClassSchema } from '../operation-record.js';
import { TypedPathSchema } from '../operation-request.js';
import { defineCall } from './define-call.js';

export const PolicyShow = defineCall(
  'policy',
  'show',
  z.object({}),
  z.object({ version: z.int().min(0), name: z.string(), yaml: z.string(), published_by: PrincipalSchema.nullable() }),
);

/** Operators only. `source`: the name of a policy that ships with Retrace, or the file's own text. */
export const PolicyPublish = defineCall(
  'policy',
  'publish',
  z.object({ name: z.string().max(200), yaml: z.string().max(256 * 1024) }),
  z.object({ version: z.int().min(1), sequence: z.int().min(1) }),
);

/** One rule as it was tried. */
export const TriedRuleSchema = z.object({ rule: z.string(), matched: z.boolean(), why: z.string() });

/** Says what policy would answer, and every rule tried on the way. */
export const PolicyExplain = defineCall(
  'policy',
  'explain',
  z.object({ agent: PrincipalSchema, class: ActionClassSchema, path: TypedPathSchema }),
  z.object({
    allowed: z.boolean(),
    rule: z.string(),
    code: z.string().nullable(),
    message: z.string(),
    policy_version: z.int().min(0),
    canonical: z.string(),
    tried: z.array(TriedRuleSchema),
  }),
);

/** Operators only: an agent may act in this workspace. */
export const PolicyAddMember = defineCall(
  'policy',
  'add_member',
  z.object({ member: PrincipalSchema }),
  z.object({ sequence: z.int().min(1) }),
);
