import type { BlobHash, Principal } from '@retrace/contracts';
import { openEnvironment } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import { GroupCommit } from '@retrace/platform/group-commit';
import type { Database, RootDatabase } from 'lmdb';

/**
 * Who uploaded what. A hash counts for an agent only if that agent uploaded it: else knowing a hash would be a way to
 * read. Rows are written after the content is durable.
 */
export class UploadLedger {
  private readonly waiting = new Map<string, Set<() => void>>();
  private closed = false;

  private constructor(
    private readonly root: RootDatabase,
    private readonly rows: Database<true, [principal: string, hash: string]>,
    private readonly commits: GroupCommit,
  ) {}

  static open(folder: string, durability: 'process' | 'power'): UploadLedger {
    const root = openEnvironment(folder, 'uploads', durability);
    const commits = new GroupCommit((work) =>
      durability === 'power' ? root.transaction(work) : root.transactionSync(work),
    );
    return new UploadLedger(root, root.openDB({ name: 'uploads' }), commits);
  }

  has(principal: Principal, hash: BlobHash): boolean {
    return this.rows.doesExist([principal, hash]);
  }

  async add(principal: Principal, hash: BlobHash): Promise<void> {
    if (!this.has(principal, hash)) await this.commits.commit(() => void this.rows.put([principal, hash], true));
    failpoint('upload.after-ledger');
    for (const wake of this.waiting.get(keyOf(principal, hash)) ?? []) wake();
  }

  /** Answers which of these the principal has not uploaded within `waitMs`. */
  async missing(principal: Principal, hashes: readonly BlobHash[], waitMs: number): Promise<BlobHash[]> {
    const awaited = (): BlobHash[] => hashes.filter((hash) => !this.has(principal, hash));
    const deadline = performance.now() + waitMs;
    for (let left = awaited(); ; left = awaited()) {
      const rest = deadline - performance.now();
      if (left.length === 0 || rest <= 0) return left;
      await this.nextUpload(principal, left[0]!, rest);
      if (this.closed) return left;
    }
  }

  /** Nobody waits beyond it: what was awaited counts as missing. */
  async close(): Promise<void> {
    this.closed = true;
    for (const wakes of this.waiting.values()) for (const wake of wakes) wake();
    await this.root.close();
  }

  private nextUpload(principal: Principal, hash: BlobHash, ms: number): Promise<void> {
    const key = keyOf(principal, hash);
    return new Promise((resolve) => {
      const wakes = this.waiting.get(key) ?? new Set();
      const done = (): void => {
        clearTimeout(timer);
        wakes.delete(done);
        if (wakes.size === 0) this.waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.waiting.set(key, wakes.add(done));
    });
  }
}

const keyOf = (principal: Principal, hash: BlobHash): string => `${principal} ${hash}`;
