import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf } from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import { keepStaged } from '@retrace/workspace-fs';
import { Logger } from '@nestjs/common';
import type { DoneRecord, KeptContent } from '../journal/journal-record.js';
import type { Blobs } from '../ports/blobs.port.js';
import { stagingPath, type Workspace } from '../workspaces/workspace.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
/** Of one record: ten thousand answers one after another would take long. */
const AT_ONCE = 8;

type Staged = Extract<KeptContent, { kind: 'staged' }>;

/** Brings the content that journal records hold into the blob store. */
export class ContentKeeper {
  private readonly logger = new Logger('execution');

  constructor(
    private readonly workspace: Workspace,
    private readonly blobs: Blobs,
    private readonly closed: AbortSignal,
  ) {}

  /** Resolves when the store has all of it, or never will. Rejects when the executor closes first. */
  async untilStored({ kept }: DoneRecord): Promise<void> {
    const rest = kept.values();
    const inTurn = async (): Promise<void> => {
      for (const content of rest) await this.storeOne(content);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
  }

  private async storeOne(content: KeptContent): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      this.closed.throwIfAborted();
      try {
        return await this.store(content);
      } catch (error) {
        if (content.kind === 'staged' && this.isHopeless(content, error)) return;
        this.logger.warn(`content ${content.hash.slice(0, 12)} waits for the blob store: ${String(error)}`);
        await sleep(wait, undefined, { signal: this.closed, ref: false });
      }
    }
  }

  private store(content: KeptContent): Promise<void> {
    failpoint('content.before-store');
    if (content.kind === 'inline') return this.blobs.put(content.hash, content.bytes);
    return this.blobs.adopt(content.hash, content.size, this.pathOf(content));
  }

  private pathOf = ({ stageName }: Staged): string => `${stagingPath(this.workspace)}/${stageName}`;

  /** Asking again will not help: somebody removed the file, or the store will not have it. What is there stays. */
  private isHopeless(content: Staged, error: unknown): boolean {
    const gone = !existsSync(this.pathOf(content));
    const refused = ['blob_mismatch', 'blob_too_large'].includes(errorCodeOf(error));
    if (!gone && !refused) return false;
    const where = gone ? 'is not in staging any more' : `stays in staging as ${this.keepAside(content)}`;
    this.logger.error(`pre-image ${content.hash} was not handed to the blob store: it ${where}; ${String(error)}`);
    return true;
  }

  private keepAside = ({ stageName }: Staged): string => keepStaged(this.workspace.root, stageName);
}
