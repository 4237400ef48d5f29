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
import type { WorkspaceFacts } from '../../ports/workspace-facts.port.js';

/** Bytes that one answer may have: it must fit one message of the bus. */
const ANSWER_BYTES = 512 * 1024;
/** Of one fact without its path, generously. */
const FACT_BYTES = 800;
const HASHES_PER_CALL = 4000;

/** Asks execution and snapshot. */
export class CallWorkspaceFacts implements WorkspaceFacts {
  constructor(private readonly calls: Pick<CallClient, 'call'>) {}

  async facts(workspace: WorkspaceName, paths: readonly WorkspacePath[]): Promise<Fact[]> {
    const all: Fact[] = [];
    for (const some of chunks(paths)) {
      const { facts } = await this.calls.call(FsFacts, workspace, { paths: [...some], follow: false });
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
function chunks(paths: readonly WorkspacePath[]): WorkspacePath[][] {
  const all: WorkspacePath[][] = [];
  let room = 0;
  for (const path of paths) {
    const bytes = FACT_BYTES + 2 * Buffer.byteLength(path);
    if (bytes > room) {
      all.push([]);
      room = ANSWER_BYTES;
    }
    all.at(-1)!.push(path);
    room -= bytes;
  }
  return all;
}
