import type { PathState } from '@retrace/contracts';
import { captureState, isFsError } from '@retrace/workspace-fs';
import type { Workspace } from '../workspaces/workspace.js';

/** What stands at a path; beneath a file or a link there is nothing that a step would act on. Throws other SafeFsErrors. */
export function lookAt({ root, cache }: Workspace, path: string): PathState {
  try {
    return captureState(root.rootFd, path, { cache }).state;
  } catch (error) {
    if (isFsError(error, 'not_a_folder', 'link_refused')) return { kind: 'absent' };
    throw error;
  }
}

/** For reports: what cannot be looked at is told as absent. */
export function lookAtLeniently(workspace: Workspace, path: string): PathState {
  try {
    return lookAt(workspace, path);
  } catch (error) {
    if (isFsError(error)) return { kind: 'absent' };
    throw error;
  }
}
