import { z } from 'zod';
import { PathStateSchema } from './path-state.js';
import { WorkspacePathSchema } from './workspace-path.js';

/** What stood in a workspace: each path once, sorted by its UTF-8 bytes. The blob is this as JSON. */
export const BaselineManifestSchema = z.object({
  workspace: z.string(),
  entries: z.array(z.object({ path: WorkspacePathSchema, state: PathStateSchema })),
});
export type BaselineManifest = z.infer<typeof BaselineManifestSchema>;
