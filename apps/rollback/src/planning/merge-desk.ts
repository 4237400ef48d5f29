import { BlobHashSchema, type FileState, type WorkspaceName } from '@retrace/contracts';
import type { MergeOutcome, MergeRequest, Merges } from '../domain/state-merge.js';
import type { Contents } from '../ports/contents.port.js';
import { MAX_MERGE_BYTES, mergeTexts } from './text-merge.js';

/** Merges of one plan. */
const MAX_MERGES = 5000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Does the merges that one plan asks for. What it made is stored once the plan stands. */
export class MergeDesk {
  private readonly outcomes = new Map<string, MergeOutcome>();
  private readonly made = new Map<string, Uint8Array>();
  private bytes = 0;

  constructor(
    private readonly workspace: WorkspaceName,
    private readonly contents: Contents,
    private readonly sha256: (content: Uint8Array) => string,
  ) {}

  get merges(): Merges {
    return this.outcomes;
  }

  async merge(requests: readonly MergeRequest[]): Promise<void> {
    for (const request of requests) this.outcomes.set(request.key, await this.outcomeOf(request));
  }

  /** Nobody else has it. */
  hasMade(hash: string): boolean {
    return this.made.has(hash);
  }

  /** Resolves once those of them that were made here are durable. */
  async store(hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) {
      const bytes = this.made.get(hash);
      if (bytes) await this.contents.keep(this.workspace, hash, bytes);
    }
  }

  private async outcomeOf({ base, ours, theirs, oursAt }: MergeRequest): Promise<MergeOutcome> {
    if (this.outcomes.size >= MAX_MERGES || this.bytes > MAX_BYTES)
      return no('too much to merge in one plan; select less');
    if ([base, ours, theirs].some(({ size }) => size > MAX_MERGE_BYTES)) return no('it has over 4 MiB');
    const before = await this.content(base);
    const present = await this.content(ours, oursAt);
    const after = await this.content(theirs);
    if (!before || !present || !after) return no('a content that it takes is not to be had');
    const merged = mergeTexts({ base: before, ours: present, theirs: after });
    return merged.ok ? this.keep(merged.bytes) : merged;
  }

  private keep(bytes: Uint8Array): MergeOutcome {
    const hash = this.sha256(bytes);
    this.made.set(hash, bytes);
    this.bytes += bytes.length;
    return { ok: true, hash: BlobHashSchema.parse(hash), size: bytes.length };
  }

  private async content(file: FileState, path?: string): Promise<Uint8Array | undefined> {
    const own = this.made.get(file.hash) ?? (await this.contents.kept(this.workspace, file));
    return own ?? (path === undefined ? undefined : this.contents.standing(this.workspace, path, file));
  }
}

const no = (reason: string): MergeOutcome => ({ ok: false, reason });
