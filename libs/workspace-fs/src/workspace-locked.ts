import fs from 'node:fs';

/** Who holds a workspace; both are missing when the holder had no time to write them. */
export interface LockHolder {
  pid?: number;
  /** ISO 8601, UTC. */
  since?: string;
}

const HOLDER_BYTES = 4096;

/** Reads the lock file's JSON; it is only a note, so anything unreadable counts as unknown. */
export function readHolder(fd: number): LockHolder {
  const bytes = Buffer.alloc(HOLDER_BYTES);
  const text = bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, HOLDER_BYTES, 0));
  try {
    const note: unknown = JSON.parse(text);
    if (typeof note !== 'object' || note === null) return {};
    return {
      ...('pid' in note && typeof note.pid === 'number' ? { pid: note.pid } : {}),
      ...('since' in note && typeof note.since === 'string' ? { since: note.since } : {}),
    };
  } catch {
    return {};
  }
}

/** Another process (or another opening in this one) writes to the workspace. */
export class WorkspaceLocked extends Error {
  readonly code = 'workspace_locked';

  constructor(
    readonly path: string,
    readonly holder: LockHolder,
  ) {
    super(
      `${path}: another executor holds this workspace (pid ${holder.pid ?? 'unknown'}, since ${holder.since ?? 'unknown'}); ` +
        'a workspace has one writer at a time: stop that process, or send the work to it, and try again',
    );
    this.name = 'WorkspaceLocked';
  }
}
