import {
  ABSENT,
  type OperationId,
  parentPath,
  type PathState,
  type Principal,
  type SessionId,
} from '@retrace/contracts';
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
  /** Of what stands on the disk; absent where nothing does, or the state is planned. */
  readonly stat?: Stat | undefined;
  /** The object on the disk whose owner and other names a new version takes over. */
  readonly like?: Stat | undefined;
  /** Of files small enough for the journal, or planned earlier in the same logical operation. */
  readonly content?: Uint8Array | undefined;
}

interface Planned {
  readonly state: PathState;
  readonly content: Uint8Array | undefined;
  readonly operationId: OperationId;
  readonly like: Stat | undefined;
}

/** The workspace as it will stand once the operations planned so far are applied. */
export class SimulatedTree {
  private readonly planned = new Map<string, Planned>();
  /** Here a folder comes or goes: what the disk holds below does not count any more. */
  private readonly replaced = new Set<string>();

  constructor(
    private readonly workspace: Workspace,
    private readonly by: { readonly agent: Principal; readonly sessionId: SessionId | null },
    private readonly recordedOf: (path: string) => Recorded | undefined,
  ) {}

  /** What stands at a path. Throws SafeFsError `link_refused`, `not_a_folder` for what lies on the way. */
  at(path: string, readUpTo = INLINE_BYTES): Present {
    const planned = this.planned.get(path);
    if (planned) return { ...planned, recorded: this.asRecorded(planned), planned: true };
    const recorded = this.recordedOf(path);
    if (this.isBelowReplaced(path)) return { state: ABSENT, recorded, planned: false };
    const { state, stat, content }: Captured = captureState(this.workspace.root.rootFd, path, {
      readContentUpTo: readUpTo,
      cache: this.workspace.cache,
    });
    return { state, stat, like: stat, content, recorded, planned: false };
  }

  plan(path: string, from: Present, state: PathState, content: Uint8Array | undefined, operationId: OperationId): void {
    const sameObject = from.state.kind === state.kind;
    if (!sameObject) this.replaced.add(path);
    this.planned.set(path, { state, content, operationId, like: sameObject ? from.like : undefined });
  }

  /** Names of a folder's entries as they will be. */
  entries(path: string): string[] {
    const names = new Set(this.replaced.has(path) || this.isBelowReplaced(path) ? [] : this.onDisk(path));
    for (const [other, { state }] of this.planned) {
      if (parentPath(other) !== path) continue;
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

  private isBelowReplaced(path: string): boolean {
    for (let above = parentPath(path); above !== undefined; above = parentPath(above))
      if (this.replaced.has(above)) return true;
    return false;
  }

  private asRecorded({ state, operationId }: Planned): Recorded {
    return { state, operationId, sequence: null, ...this.by };
  }
}
