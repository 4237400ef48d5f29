import {
  type BlobHash,
  isOperator,
  type Principal,
  RetraceError,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { Place } from '../seen/place.js';
import type { SeenContents } from '../seen/seen-contents.js';
import type { UploadLedger } from '../uploads/upload-ledger.js';
import type { ReadRules, Verdict } from './read-rules.js';

type Judge = (workspace: WorkspaceName, path: WorkspacePath) => Promise<Verdict>;

const untold = (path: WorkspacePath): Verdict => ({
  allowed: false,
  message: `${path}: the content came there by more moves and copies than are remembered. Ask an operator for it`,
});

/**
 * Who is given which content. Services and operators are given all; agents what they uploaded, and what stood, before or
 * after an operation of theirs, at a path that policy lets them read now.
 */
export class BlobReaders {
  constructor(
    private readonly ledger: Pick<UploadLedger, 'has'>,
    private readonly seen: Pick<SeenContents, 'places'>,
    private readonly rules: ReadRules,
  ) {}

  /** Throws `blob_forbidden`; `unavailable` where policy does not answer. */
  async require(principal: Principal | undefined, hash: BlobHash): Promise<void> {
    if (principal === undefined || isOperator(principal) || this.ledger.has(principal, hash)) return;
    const judge = this.judgeFor(principal);
    let refusal: string | undefined;
    for await (const places of this.seen.places(principal, hash)) {
      refusal = await refusedByAll(places, judge);
      if (refusal === undefined) return;
    }
    throw forbidden(principal, hash, refusal);
  }

  /** Asks about each path once in a request: a path is a place of one content and the source of another. */
  private judgeFor(principal: Principal): Judge {
    const asked = new Map<string, Promise<Verdict>>();
    return (workspace, path) => {
      const key = `${workspace} ${path}`;
      const verdict = asked.get(key) ?? this.rules.judge(workspace, principal, path);
      asked.set(key, verdict);
      return verdict;
    };
  }
}

/** One place that may be read is enough. Answers why the newest one may not; `undefined` where one may. */
async function refusedByAll(places: readonly Place[], judge: Judge): Promise<string | undefined> {
  let newest: string | undefined;
  for (const place of places.toReversed()) {
    const { allowed, message } = await judged(place, judge);
    if (allowed) return undefined;
    newest ??= `in ${place.workspace}, ${message}`;
  }
  return newest;
}

/** What came by a move or copy is read by those who may read all the way that it came. */
async function judged({ workspace, path, sources }: Place, judge: Judge): Promise<Verdict> {
  if (sources === null) return untold(path);
  let verdict = await judge(workspace, path);
  for (const source of sources) if (verdict.allowed) verdict = await judge(workspace, source);
  return verdict;
}

const forbidden = (principal: Principal, hash: BlobHash, refusal: string | undefined): RetraceError =>
  new RetraceError(
    'blob_forbidden',
    refusal === undefined
      ? `${principal} neither uploaded ${hash} nor changed a file that held it; read the file by its path instead`
      : `${principal} did not upload ${hash}, and may read no path where its own operations found or left it; ${refusal}`,
  );
