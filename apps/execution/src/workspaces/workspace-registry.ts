import { realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  type EventEnvelope,
  type Principal,
  RetraceError,
  WorkspaceRegistered,
  type WorkspaceName,
} from '@retrace/contracts';
import { appendOnce, deriveId, type EventLog } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import { openWorkspaceRoot, probe, StatCache, WorkspaceLocked, type WorkspaceRoot } from '@retrace/workspace-fs';
import { Logger } from '@nestjs/common';
import type { ExecutionStore } from '../journal/execution-store.js';
import { movedMessage, stillStands } from './still-stands.js';
import type { Workspace } from './workspace.js';
import { type ExecutorPorts, WorkspaceExecutor } from './workspace-executor.js';

const SETTLE_MS = 3_000;

/** The workspaces of this host, each with its executor. */
export class WorkspaceRegistry {
  private readonly executors = new Map<string, WorkspaceExecutor>();
  /** Under care, but their folders cannot be opened: why. */
  private readonly unavailable = new Map<string, string>();
  private readonly logger = new Logger('execution');
  private adding: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ports: ExecutorPorts,
    private readonly addLane: (workspace: string) => void,
    /** Folders of the system itself: who may write there owns everybody's credentials. */
    private readonly reserved: readonly string[] = [],
  ) {}

  private get store(): ExecutionStore {
    return this.ports.store;
  }

  private get log(): EventLog {
    return this.ports.log;
  }

  /**
   * Opens every workspace under care and ends what an earlier process began. Throws where somebody else holds one. A
   * folder that is gone or damaged stops no other: its intents wait in the log until it is back at a start.
   */
  openAll(): void {
    for (const { name, root } of this.store.workspaceRows()) {
      try {
        this.open(name, openRoot(root));
      } catch (error) {
        if (error instanceof RetraceError && error.code === 'workspace_locked') throw error;
        this.setAside(name, `workspace ${name} (${root}) is not available: ${describe(error)}`);
      }
    }
  }

  /** What does not work, a line each. */
  problems(): string[] {
    const moved = [...this.executors.values()].filter(({ workspace }) => !stillStands(workspace));
    return [...this.unavailable.values(), ...moved.map(({ workspace }) => movedMessage(workspace))];
  }

  /** A folder that could not be opened at the start is back. */
  private takeUp(name: WorkspaceName, root: string): void {
    this.open(name, openRoot(root));
    this.unavailable.delete(name);
    this.addLane(name);
  }

  private setAside(name: WorkspaceName, why: string): void {
    this.unavailable.set(name, why);
    this.logger.error(why);
  }

  /** The executor of a workspace. Throws `unknown_workspace`, `workspace_unavailable`. */
  find(name: string): WorkspaceExecutor {
    const executor = this.executors.get(name);
    const why = this.unavailable.get(name);
    if (why !== undefined) throw new RetraceError('workspace_unavailable', why);
    if (!executor)
      throw new RetraceError(
        'unknown_workspace',
        `no workspace ${name} is under care here; see: retrace workspace list`,
      );
    return executor;
  }

  /** Resolves when what its executor has taken is in the journal: only then may a later position be stored. */
  async drained(name: string): Promise<void> {
    await this.executors.get(name)?.drained();
  }

  /** Those that are open. */
  workspaces(): Workspace[] {
    return [...this.executors.values()].map(({ workspace }) => workspace);
  }

  has(name: string): boolean {
    return this.executors.has(name);
  }

  /** Takes a folder under care: lock, event, row. Asking again for the same folder changes nothing. */
  add(name: WorkspaceName, folder: string, by: Principal): Promise<{ root: string; sequence: number }> {
    // One after another: between the checks and the row lies a wait for the log.
    const added = this.adding.then(() => this.addNext(name, folder, by));
    this.adding = added.catch(() => undefined);
    return added;
  }

  private async addNext(
    name: WorkspaceName,
    folder: string,
    by: Principal,
  ): Promise<{ root: string; sequence: number }> {
    const known = this.store.workspace(name);
    const root = realFolder(folder);
    if (known?.root === root) {
      if (!this.executors.has(name)) this.takeUp(name, root);
      return { root, sequence: this.store.positions.load(name)?.sequence ?? 1 };
    }
    if (known)
      throw new RetraceError('workspace_exists', `${name} is ${known.root} already; give ${root} another name`);
    this.refuseOverlap(root);
    const opened = openRoot(root);
    try {
      refuseWeakFileSystem(opened);
      const event = registered(name, root, by);
      const sequence = await appendOnce(this.log, event, 1);
      failpoint('registry.after-append');
      this.store.addWorkspace({ name, root, epoch: 0 }, { sequence, eventId: event.id });
      this.open(name, opened);
      this.addLane(name);
      return { root, sequence };
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /** Resolves when every outcome is in the log, or after `ms`: the journal keeps the rest for the next start. */
  async settle(ms = SETTLE_MS): Promise<void> {
    const signal = AbortSignal.timeout(ms);
    const waits = [...this.executors.values()].map((executor) => executor.untilKnown('all', signal));
    await Promise.allSettled(waits);
  }

  async close(): Promise<void> {
    await Promise.all([...this.executors.values()].map((executor) => executor.close()));
  }

  private open(name: WorkspaceName, root: WorkspaceRoot): void {
    const workspace = { name, root, epoch: this.store.nextEpoch(name), cache: new StatCache() };
    const executor = new WorkspaceExecutor(workspace, this.ports);
    // Before it recovers: `close` then gives the lock back, whatever happens.
    this.executors.set(name, executor);
    try {
      executor.recover();
    } catch (error) {
      // Half open it would be used with handles that are closed, or never be opened again.
      this.executors.delete(name);
      executor.abandon();
      throw error;
    }
    this.store.prune(name).catch((error: unknown) => this.logger.warn(`old rows of ${name} stay: ${String(error)}`));
  }

  private refuseOverlap(root: string): void {
    for (const own of this.reserved)
      if (within(root, own) || within(own, root))
        throw new RetraceError(
          'workspace_overlaps',
          `${root} overlaps ${own}, where Retrace keeps credentials and journal; choose a folder beside it`,
        );
    for (const other of this.store.workspaceRows())
      if (within(root, other.root) || within(other.root, root))
        throw new RetraceError(
          'workspace_overlaps',
          `${root} overlaps ${other.root} (workspace ${other.name}); one path belongs to one workspace`,
        );
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const within = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer === '/' ? '/' : `${outer}/`);

function realFolder(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (statSync(root).isDirectory()) return root;
  } catch (cause) {
    throw new RetraceError('not_a_directory', `${folder}: ${(cause as Error).message}`, { cause });
  }
  throw new RetraceError('not_a_directory', `${folder} is no folder`);
}

function openRoot(root: string): WorkspaceRoot {
  try {
    return openWorkspaceRoot(root);
  } catch (error) {
    if (error instanceof WorkspaceLocked) throw new RetraceError('workspace_locked', error.message, { cause: error });
    throw error;
  }
}

/** Without these calls neither containment nor a replace that loses nothing can be promised. */
function refuseWeakFileSystem(root: WorkspaceRoot): void {
  const { openat2, exchange, noreplace } = probe(root.controlFd);
  const missing = Object.entries({ openat2, exchange, noreplace }).filter(([, there]) => !there);
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name).join(', ');
  throw new RetraceError(
    'io',
    `the file system of ${root.path} lacks ${names}; use a local Linux file system (ext4, xfs, btrfs, tmpfs)`,
  );
}

function registered(name: WorkspaceName, root: string, by: Principal): EventEnvelope<typeof WorkspaceRegistered> {
  return {
    id: deriveId('evt', 'workspace.registered', hostname(), name, root),
    type: WorkspaceRegistered.type,
    source: 'retrace/execution',
    time: new Date().toISOString(),
    workspace: name,
    agent: by,
    data: { root, host: hostname(), registered_by: by },
  };
}
