import { z } from 'zod';
import { PrincipalSchema } from '../names.js';
import { BlobHashSchema } from '../path-state.js';
import { defineEvent } from './define-event.js';

/** A root folder is under the care of the executor that published this. */
export const WorkspaceRegistered = defineEvent(
  'workspace',
  'registered',
  1,
  z.object({ root: z.string(), host: z.string(), registered_by: PrincipalSchema }),
);

/**
 * What stood in the workspace when it was registered: every file's content is stored, and its state is on record. The
 * manifest is a blob of {@link BaselineManifestSchema}; paths that recorded operations had changed meanwhile are not in it.
 */
export const WorkspaceBaselined = defineEvent(
  'workspace',
  'baselined',
  1,
  z.object({
    manifest_hash: BlobHashSchema,
    manifest_size: z.int().min(0),
    files: z.int().min(0),
    directories: z.int().min(0),
    links: z.int().min(0),
    bytes: z.int().min(0),
    /** What was left out: where the rules stand, and how many entries they kept out (a folder counts once). */
    ignored: z.object({ rules: z.array(z.string()), entries: z.int().min(0) }),
    /** What could not be stored: the first 100. Their first change captures them. */
    skipped: z.array(z.object({ path: z.string(), why: z.string() })).max(100),
    skipped_count: z.int().min(0),
  }),
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
