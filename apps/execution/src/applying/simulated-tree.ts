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
  /** Where these bytes lie on the disk now; absent where only staging or the blob store has them. */
  readonly heldAt?: string | undefined;
}

/** What an operation leaves at its path. */
export interface Left {
  readonly state: PathState;
  readonly operationId: OperationId;
  readonly movedBy?: OperationId | undefined;
  readonly content?: Uint8Array | undefined;
  readonly heldAt?: string | undefined;
  readonly like?: Stat | undefined;
}

/** The workspace as it will stand once the operations planned so far are applied. */
export class SimulatedTree {
  private readonly planned = new Map<string, Left>();
  /** Folder → name → whether something will stand there. */
  private readonly children = new Map<string, Map<string, boolean>>();
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
    const { state, stat, content } = this.capture(path, readUpTo);
    return { state, stat, like: stat, content, recorded, planned: false, heldAt: stat && path };
  }

  /** As {@link at}; beneath a file or a link there is nothing. */
  beneathAnything(path: string): Present {
    try {
      return this.at(path);
    } catch (error) {
      if (isFsError(error, 'not_a_folder', 'link_refused'))
        return { state: ABSENT, recorded: this.recordedOf(path), planned: false };
      throw error;
    }
  }

  /** The bytes of what stands on the disk; undefined where it is not that file any more. */
  read({ state, content, heldAt }: Present): Uint8Array | undefined {
    if (content || state.kind !== 'file' || heldAt === undefined) return content;
    const found = this.capture(heldAt, state.size);
    return found.state.kind === 'file' && found.state.hash === state.hash ? found.content : undefined;
  }

  plan(path: string, from: Present, left: Left): void {
    if (from.state.kind !== left.state.kind) this.replaced.add(path);
    this.planned.set(path, left);
    const parent = parentPath(path);
    if (parent === undefined) return;
    const names = this.children.get(parent) ?? new Map<string, boolean>();
    this.children.set(parent, names.set(path.slice(parent.length + 1), left.state.kind !== 'absent'));
  }

  /** Names of a folder's entries as they will be. */
  entries(path: string): string[] {
    const names = new Set(this.replaced.has(path) || this.isBelowReplaced(path) ? [] : this.onDisk(path));
    for (const [name, stands] of this.children.get(path) ?? [])
      if (stands) names.add(name);
      else names.delete(name);
    return [...names];
  }

  private capture(path: string, readContentUpTo: number): Captured {
    return captureState(this.workspace.root.rootFd, path, { readContentUpTo, cache: this.workspace.cache });
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

  private asRecorded({ state, operationId, movedBy }: Left): Recorded {
    return { state, operationId, movedBy, sequence: null, ...this.by };
  }
}
