import { closeSync, readSync } from 'node:fs';
import { describePathState, type PathState, RetraceError, type WorkspacePath } from '@retrace/contracts';
import {
  captureState,
  O,
  openAt,
  resolveBeneath,
  sameState,
  type Stat,
  statFd,
  withHandle,
} from '@retrace/workspace-fs';
import type { Workspace } from '../workspaces/workspace.js';
import { asRetraceError } from './facts.js';

export interface ReadRange {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly state: PathState;
}

/** Reads a range of a regular file by handle. FIFOs, sockets and devices are refused by their type, never opened. */
export function readRange(workspace: Workspace, path: WorkspacePath, offset: number, length: number): ReadRange {
  try {
    const { state, stat } = captureState(workspace.root.rootFd, path, { cache: workspace.cache });
    if (state.kind !== 'file' || !stat)
      throw new RetraceError(
        state.kind === 'absent' ? 'absent' : 'not_a_file',
        `${path} is ${describePathState(state)}; only a file is read`,
      );
    const { dirfd, name } = resolveBeneath(workspace.root.rootFd, path);
    const fd = withHandle(dirfd, () => openAt(dirfd, name, O.RDONLY));
    return { bytes: readAt(fd, stat, offset, length), size: state.size, state };
  } catch (error) {
    throw asRetraceError(error, path);
  }
}

/** The bytes of the very state that is told with them. */
function readAt(fd: number, captured: Stat, offset: number, length: number): Uint8Array {
  try {
    const same = (): boolean => sameState(statFd(fd), captured);
    const bytes = same()
      ? readFully(fd, offset, Math.max(0, Math.min(length, Number(captured.size) - offset)))
      : undefined;
    if (bytes && same()) return bytes;
    throw new RetraceError('busy', 'somebody changed the file while it was read; read it again');
  } finally {
    closeSync(fd);
  }
}

function readFully(fd: number, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const now = readSync(fd, bytes, read, length - read, offset + read);
    if (now === 0) break;
    read += now;
  }
  return bytes.subarray(0, read);
}
