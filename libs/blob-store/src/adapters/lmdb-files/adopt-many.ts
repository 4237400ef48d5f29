import { setImmediate as nextTurn } from 'node:timers/promises';
import { BlobError, BlobMismatch, BlobSourceInvalid, BlobTooLarge } from '../../blob-errors.js';
import type { PutOutcome, SourceFile } from '../../blob-store.port.js';
import { assertSize } from '../../byte-range.js';
import { readSmallSource } from '../../source-file.js';
import type { BlobIndex, IndexEntry } from './blob-index.js';
import { type BlobWriter, SMALL_BLOB_BYTES } from './blob-writer.js';

/** Contents that wait for one commit. */
const GROUP_BYTES = 8 * 1024 * 1024;
/** How long small files are read before others of the event loop have their turn. */
const TURN_MS = 4;

type Outcome = PutOutcome | BlobError;

/** Takes over many files: small ones in groups of one transaction each, large ones streamed beside each other. */
export class ManyFiles {
  private readonly outcomes: Outcome[] = [];
  private group: (IndexEntry & { readonly at: number })[] = [];
  private groupBytes = 0;

  constructor(
    private readonly index: BlobIndex,
    private readonly writer: BlobWriter,
    private readonly maxBlobBytes: number,
  ) {}

  async adopt(files: readonly SourceFile[]): Promise<Outcome[]> {
    await this.adoptSmall(files);
    const large = [...files.entries()].filter(([at]) => this.outcomes[at] === undefined);
    await Promise.all(large.map(([at, file]) => this.told(at, () => this.writer.adopt(file))));
    return this.outcomes;
  }

  private async adoptSmall(files: readonly SourceFile[]): Promise<void> {
    let turn = performance.now();
    for (const [at, file] of files.entries()) {
      await this.told(at, () => this.take(at, file));
      if (this.groupBytes >= GROUP_BYTES) await this.commit();
      if (performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
    await this.commit();
  }

  /** Undefined: it is known later, after the group's commit or with the large ones. */
  private take(at: number, file: SourceFile): undefined {
    assertSize(file.hash, file.size, this.maxBlobBytes);
    if (file.size > SMALL_BLOB_BYTES) return;
    const content = readSmallSource(file);
    this.group.push({ hash: file.hash, content, at });
    this.groupBytes += content.length;
  }

  private async commit(): Promise<void> {
    const { group } = this;
    this.group = [];
    this.groupBytes = 0;
    if (group.length === 0) return;
    const outcomes = await this.index.addAll(group);
    group.forEach(({ at }, i) => (this.outcomes[at] = outcomes[i]!));
  }

  /** What is wrong with one file is told in its place; what is wrong with the store is everybody's. */
  private async told(at: number, work: () => Promise<Outcome> | undefined): Promise<void> {
    try {
      const outcome = await work();
      if (outcome !== undefined) this.outcomes[at] = outcome;
    } catch (error) {
      if (!(error instanceof BlobSourceInvalid || error instanceof BlobMismatch || error instanceof BlobTooLarge))
        throw error;
      this.outcomes[at] = error;
    }
  }
}
