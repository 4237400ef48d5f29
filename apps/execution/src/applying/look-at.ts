import type { PathState } from '@retrace/contracts';
import { captureState, type FsCode, isFsError } from '@retrace/workspace-fs';
import type { Workspace } from '../workspaces/workspace.js';

/** Somebody made it so: it stays so until they change it, and is certainly not what a step left. */
const UNREADABLE: readonly FsCode[] = ['not_permitted', 'busy', 'invalid_name', 'io'];

/**
 * What stands at a path. Beneath a file or a link there is nothing that a step would act on; what cannot be read is
 * like no state that a step knows. Throws other SafeFsErrors.
 */
export function lookAt({ root, cache }: Workspace, path: string): PathState {
  try {
    return captureState(root.rootFd, path, { cache }).state;
  } catch (error) {
    if (isFsError(error, 'not_a_folder', 'link_refused')) return { kind: 'absent' };
    if (isFsError(error, ...UNREADABLE)) return { kind: 'other', type: `unreadable (${error.code})` };
    throw error;
  }
}

/** For reports: never throws for what the file system says. */
export function lookAtLeniently(workspace: Workspace, path: string): PathState {
  try {
    return lookAt(workspace, path);
  } catch (error) {
    if (isFsError(error)) return { kind: 'other', type: `unreadable (${error.code})` };
    throw error;
  }
}
