import { ABSENT, type OperationId, type PathState } from '@retrace/contracts';
import { type Captured, captureState, isFsError, listDirectory, type Stat } from '@retrace/workspace-fs';
import type { Recorded } from '../domain/recorded.js';
import type { Workspace } from '../workspaces/workspace.js';

/** Small enough to lie in the journal record itself, in bytes. */
export const INLINE_BYTES = 64 * 1024;

export interface Present {
  readonly state: PathState;
  readonly recorded: Recorded | undefined;
  /** Left so by an earlier operation of the same logical operation. */
  readonly planned: boolean;
  readonly stat?: Stat | undefined;
  /** Of files small enough for the journal, or planned earlier in the same logical operation. */
  readonly content?: Uint8Array | undefined;
}

interface Planned {
  readonly state: PathState;
  readonly content: Uint8Array | undefined;
  readonly operationId: OperationId;
}

/** The workspace as it will stand once the operations planned so far are applied. */
export class SimulatedTree {
  private readonly planned = new Map<string, Planned>();

  constructor(
    private readonly workspace: Workspace,
    private readonly recordedOf: (path: string) => Recorded | undefined,
  ) {}

  /** What stands at a path. Throws SafeFsError `link_refused`, `not_a_folder` for what lies on the way. */
  at(path: string, readUpTo = INLINE_BYTES): Present {
    const planned = this.planned.get(path);
    if (planned)
      return {
        state: planned.state,
        content: planned.content,
        recorded: this.asRecorded(path, planned),
        planned: true,
      };
    if (this.hasPlannedAncestorGone(path)) return { state: ABSENT, recorded: this.recordedOf(path), planned: true };
    const { state, stat, content }: Captured = captureState(this.workspace.root.rootFd, path, {
      readContentUpTo: readUpTo,
      cache: this.workspace.cache,
    });
    return { state, stat, content, recorded: this.recordedOf(path), planned: false };
  }

  plan(path: string, state: PathState, content: Uint8Array | undefined, operationId: OperationId): void {
    this.planned.set(path, { state, content, operationId });
  }

  /** Names of a folder's entries as they will be. */
  entries(path: string): string[] {
    const names = new Set(this.onDisk(path));
    for (const [other, { state }] of this.planned) {
      if (!other.startsWith(`${path}/`) || other.slice(path.length + 1).includes('/')) continue;
      const name = other.slice(path.length + 1);
      if (state.kind === 'absent') names.delete(name);
      else names.add(name);
    }
    return [...names];
  }

  private onDisk(path: string): string[] {
    try {
      return listDirectory(this.workspace.root.rootFd, path).map(({ name }) => name.toString());
    } catch (error) {
      if (isFsError(error, 'absent')) return [];
      throw error;
    }
  }

  /** Below a folder that this logical operation removes or replaces there is nothing. */
  private hasPlannedAncestorGone(path: string): boolean {
    for (const [other, { state }] of this.planned)
      if (path.startsWith(`${other}/`) && state.kind !== 'directory') return true;
    return false;
  }

  private asRecorded(path: string, { state, operationId }: Planned): Recorded {
    const before = this.recordedOf(path);
    return {
      state,
      operationId,
      sequence: null,
      sessionId: before?.sessionId ?? null,
      agent: before?.agent ?? ('_' as Recorded['agent']),
    };
  }
}
