import {
  type BlobHash,
  BlobPresent,
  type Fact,
  FsFacts,
  RetraceError,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import type { Listings } from '../../domain/unrecorded-entries.js';
import type { WorkspaceFacts } from '../../ports/workspace-facts.port.js';

/** Bytes that one answer may have: it must fit one message of the bus. */
const ANSWER_BYTES = 512 * 1024;
/** Of one fact without its path, generously. */
const FACT_BYTES = 800;
/** Of the names that a fact about a folder holds. */
const LISTING_BYTES = 32 * 1024;
const HASHES_PER_CALL = 4000;

/** Asks execution and snapshot. */
export class CallWorkspaceFacts implements WorkspaceFacts {
  constructor(private readonly calls: Pick<CallClient, 'call'>) {}

  facts(workspace: WorkspaceName, paths: readonly WorkspacePath[]): Promise<Fact[]> {
    return this.ask(workspace, chunks(paths, FACT_BYTES), false);
  }

  async listings(workspace: WorkspaceName, folders: readonly WorkspacePath[]): Promise<Listings> {
    const facts = await this.ask(workspace, chunks(folders, FACT_BYTES + LISTING_BYTES), true);
    return new Map(
      facts.flatMap(({ path, entries, entries_more }) =>
        entries ? [[path, { names: entries, more: entries_more ?? false }]] : [],
      ),
    );
  }

  private async ask(
    workspace: WorkspaceName,
    questions: readonly (readonly WorkspacePath[])[],
    entries: boolean,
  ): Promise<Fact[]> {
    const all: Fact[] = [];
    for (const some of questions) {
      const { facts } = await this.calls.call(FsFacts, workspace, { paths: [...some], follow: false, entries });
      if (facts.length !== some.length)
        throw new RetraceError('unavailable', `execution answered ${facts.length} facts for ${some.length} paths`);
      all.push(...facts);
    }
    return all;
  }

  async missing(workspace: WorkspaceName, hashes: readonly BlobHash[]): Promise<BlobHash[]> {
    const present = new Set<BlobHash>();
    for (let from = 0; from < hashes.length; from += HASHES_PER_CALL) {
      const some = hashes.slice(from, from + HASHES_PER_CALL);
      const answer = await this.calls.call(BlobPresent, workspace, { hashes: some });
      for (const hash of answer.present) present.add(hash);
    }
    return hashes.filter((hash) => !present.has(hash));
  }
}

/** A fact names its path twice. */
function chunks(paths: readonly WorkspacePath[], factBytes: number): WorkspacePath[][] {
  const all: WorkspacePath[][] = [];
  let room = 0;
  for (const path of paths) {
    const bytes = factBytes + 2 * Buffer.byteLength(path);
    if (bytes > room) {
      all.push([]);
      room = ANSWER_BYTES;
    }
    all.at(-1)!.push(path);
    room -= bytes;
  }
  return all;
}
