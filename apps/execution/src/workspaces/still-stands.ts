import { statSync } from 'node:fs';
import { statFd } from '@retrace/workspace-fs';
import type { Workspace } from './workspace.js';

/** Whether the root's path still names the folder that is held: else changes would be made where nobody looks. */
export function stillStands({ root }: Pick<Workspace, 'root'>): boolean {
  try {
    const named = statSync(root.path, { bigint: true });
    const held = statFd(root.rootFd);
    return named.ino === held.ino && named.dev === held.dev;
  } catch {
    // Gone, or a mount that does not answer: either way nothing is changed there.
    return false;
  }
}

export const movedMessage = ({ name, root }: Pick<Workspace, 'name' | 'root'>): string =>
  `the folder of workspace ${name} is not at ${root.path} any more (moved, replaced or unmounted); bring it back, or restart the system to take what is there`;
