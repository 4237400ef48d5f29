import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileState, PathState, WorkspaceBaselined, WorkspacePath } from '@retrace/contracts';
import { failpoint } from '@retrace/platform';
import { isFsError, resolveBeneath } from '@retrace/workspace-fs';
import { closeSync } from 'node:fs';
import type { z } from 'zod';
import type { Workspace } from '../workspaces/workspace.js';
import { reasonOf, type Skipped } from './baseline-failure.js';
import type { BaselineContents } from './baseline-contents.port.js';
import { MOST_READS, readStable, type StableRead } from './read-stable.js';
import { type Found, walk } from './walk.js';

/** How long the scan works before others have their turn. */
const TURN_MS = 4;
/** Files handed over at once. */
const BATCH_FILES = 250;
const BATCH_BYTES = 64 * 1024 * 1024;
/** What the event has room for, of rules and of what was skipped: so many, and characters of them. */
const TOLD = 100;
const TOLD_CHARACTERS = 60_000;

export interface BaselineEntry {
  readonly path: WorkspacePath;
  readonly state: PathState;
}

export type LeftOut = Pick<z.infer<typeof WorkspaceBaselined.data>, 'ignored' | 'skipped' | 'skipped_count'>;

interface ScannedFile {
  readonly path: WorkspacePath;
  readonly state: FileState;
}

/** Looks at everything in a workspace once and has the contents stored. A new one is made for each try. */
export class BaselineScan {
  readonly entries: BaselineEntry[] = [];
  found = 0;
  files = 0;
  bytes = 0;
  private batch: ScannedFile[] = [];
  private batchBytes = 0;
  private readonly rules: string[] = [];
  private ignored = 0;
  private readonly skipped: Skipped[] = [];
  private skippedCount = 0;

  /** `isRecorded`: whether an operation has left something at a path; what it left is not the baseline's to tell. */
  constructor(
    private readonly workspace: Workspace,
    private readonly contents: BaselineContents,
    private readonly isRecorded: (path: string) => boolean,
  ) {}

  get leftOut(): LeftOut {
    return {
      ignored: { rules: this.rules, entries: this.ignored },
      skipped: this.skipped,
      skipped_count: this.skippedCount,
    };
  }

  /** Resolves when all contents are stored. Rejects where the blob store is away, and with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    let turn = performance.now();
    for (const found of walk(this.workspace.root.rootFd)) {
      await this.take(found);
      if (this.batch.length >= BATCH_FILES || this.batchBytes >= BATCH_BYTES) await this.store(signal);
      signal.throwIfAborted();
      if (performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      signal.throwIfAborted();
      turn = performance.now();
    }
    await this.store(signal);
  }

  private async take(found: Found): Promise<void> {
    switch (found.kind) {
      case 'file':
        return this.takeFile(found);
      case 'state':
        return void this.entries.push({ path: found.path, state: found.state });
      case 'rules':
        tell(this.rules, found.path, found.path);
        return;
      case 'ignored':
        this.ignored += 1;
        return;
      case 'skipped':
        return this.skip(found.path, found.why);
    }
  }

  private async takeFile({ path, dirfd, name }: Found & { kind: 'file' }): Promise<void> {
    this.found += 1;
    if (this.isRecorded(path)) return;
    const state = this.stateOf(path, await this.read(path, () => readStable(dirfd, name, this.workspace.cache)));
    if (!state) return;
    this.batch.push({ path, state });
    this.batchBytes += state.size;
  }

  private async read(path: string, use: () => Promise<StableRead>): Promise<StableRead> {
    try {
      return await use();
    } catch (error) {
      this.skip(path, reasonOf(error));
      return 'gone';
    }
  }

  private stateOf(path: string, read: StableRead): FileState | undefined {
    if (read === 'gone') return undefined;
    if (read !== 'restless') return read.state;
    this.skip(path, `it changed each of ${MOST_READS} times that it was read`);
    return undefined;
  }

  /** A file that changed since it was read is read again; what an operation changed is that operation's to tell. */
  private async store(signal: AbortSignal): Promise<void> {
    let left = this.batch;
    this.batch = [];
    this.batchBytes = 0;
    for (let tries = 1; left.length > 0; tries++) {
      const changed = await this.storeOnce(
        left.filter(({ path }) => !this.isRecorded(path)),
        signal,
      );
      failpoint('baseline.between-batches');
      if (tries === MOST_READS) {
        for (const { path } of changed) this.skip(path, `it changed each of ${MOST_READS} times that it was stored`);
        return;
      }
      left = await this.readAgain(changed);
    }
  }

  private async storeOnce(files: readonly ScannedFile[], signal: AbortSignal): Promise<ScannedFile[]> {
    if (files.length === 0) return [];
    const outcomes = await this.contents.storeFiles(this.workspace.root, files, signal);
    return files.filter((file, i) => {
      const outcome = outcomes[i];
      if (outcome === undefined) this.keep(file);
      else if (outcome !== 'changed') this.skip(file.path, outcome.why);
      return outcome === 'changed';
    });
  }

  private keep({ path, state }: ScannedFile): void {
    this.entries.push({ path, state });
    this.files += 1;
    this.bytes += state.size;
  }

  private async readAgain(files: readonly ScannedFile[]): Promise<ScannedFile[]> {
    const again: ScannedFile[] = [];
    for (const { path } of files) {
      const state = this.stateOf(path, await this.read(path, () => this.readByPath(path)));
      if (state) again.push({ path, state });
    }
    return again;
  }

  private async readByPath(path: WorkspacePath): Promise<StableRead> {
    const at = resolvedOrGone(this.workspace.root.rootFd, path);
    if (!at) return 'gone';
    try {
      return await readStable(at.dirfd, at.name, this.workspace.cache);
    } finally {
      closeSync(at.dirfd);
    }
  }

  private skip(path: string, why: string): void {
    this.skippedCount += 1;
    tell(this.skipped, { path, why }, path + why);
  }
}

/** Whoever makes many long names must not make an event that the bus refuses. */
function tell<T>(told: T[], one: T, text: string): void {
  if (told.length >= TOLD) return;
  if (JSON.stringify(told).length + text.length < TOLD_CHARACTERS) told.push(one);
}

function resolvedOrGone(rootFd: number, path: string) {
  try {
    return resolveBeneath(rootFd, path);
  } catch (error) {
    if (isFsError(error, 'absent', 'not_a_folder', 'link_refused')) return undefined;
    throw error;
  }
}
