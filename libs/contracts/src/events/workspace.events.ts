import { z } from 'zod';
import { PrincipalSchema } from '../names.js';
import { defineEvent } from './define-event.js';

/** A root folder is under the care of the executor that published this. */
export const WorkspaceRegistered = defineEvent(
  'workspace',
  'registered',
  1,
  z.object({ root: z.string(), host: z.string(), registered_by: PrincipalSchema }),
);

/** A version of a workspace's policy, in full. Versions count from 1. */
export const PolicyPublished = defineEvent(
  'policy',
  'published',
  1,
  z.object({ version: z.int().min(1), name: z.string(), yaml: z.string(), published_by: PrincipalSchema }),
);

/** An agent may act in the workspace, as far as its policy allows. */
export const MemberAdded = defineEvent(
  'member',
  'added',
  1,
  z.object({ member: PrincipalSchema, added_by: PrincipalSchema }),
);

/** A read was refused: the first per session, path and rule. */
export const AccessRefused = defineEvent(
  'access',
  'refused',
  1,
  z.object({ path: z.string(), code: z.string(), rule: z.string().nullable(), message: z.string() }),
);
