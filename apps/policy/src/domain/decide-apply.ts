import {
  type ApplyIntent,
  type AuthorizedOperation,
  type BlobHash,
  IntentAuthorized,
  MAX_PATHS_PER_LOGICAL_OPERATION,
  type OperationId,
  type OperationRequest,
} from '@retrace/contracts';
import type { Decision, DecisionInput, StateView, Tree } from './decision-input.js';
import { answeredBy, decided, denied, envelopeOf, type Refusal } from './decision-events.js';
import { ownOpenOperation } from './decide-open-operation.js';
import { ownActiveSession } from './decide-session.js';
import { estimateDecisionBytes, MAX_DECISION_BYTES } from './estimate-size.js';
import { judgeOperations } from './judge-operations.js';
import { placeOperations } from './place-operations.js';
import { effectsOf, type OpenedRow, type SessionRow } from './rows.js';
import { tooManyPaths } from './verbs/scope.js';

export const MAX_ATTEMPTS = 3;
const NO_TREES: ReadonlyMap<string, Tree> = new Map();
type Input = DecisionInput<ApplyIntent>;

/** Decides a logical operation: session, ids, paths, rules, counts; then, for a first attempt, content. */
export function* decideApply(input: Input): Generator<void, Decision> {
  const { intent, asked, state, findings } = input;
  const deny = (refusal: Refusal): Decision => denied(asked, intent, refusal);
  if (asked.attempt > MAX_ATTEMPTS) return deny(staleTooOften());
  const own = ownActiveSession(intent.session_id, asked, state);
  if (!own.ok) return deny(own.refusal);
  const part = partOf(input);
  if (part && !part.ok) return deny(part.refusal);
  if (!state.policy) return deny(noPolicy(asked.workspace));
  const listed = operationsOf(input);
  if (!Array.isArray(listed)) return listed;
  const requests: readonly OperationRequest[] = listed;
  const duplicate = yield* duplicateIn(requests, intent, state);
  if (duplicate) return deny(duplicateRefusal(duplicate));
  const placed = yield* placeOperations(requests, findings);
  if (placed.kind === 'refused') return deny(placed.refusal);
  if (placed.kind === 'need_facts')
    return findings.facts === 'unavailable' ? deny(unavailable(asked.workspace)) : placed;
  const trees = findings.trees ?? NO_TREES;
  if (trees === 'busy') return deny(stillBusy());
  if (trees === 'unavailable') return deny(unavailable(asked.workspace));
  const large = placed.operations.find(({ from }) => trees.get(from)?.more);
  if (large) return deny(tooManyPaths(large.request, MAX_PATHS_PER_LOGICAL_OPERATION + 1));
  const { attempt, partId } = asked;
  const judged = yield* judgeOperations(placed.operations, { policy: state.policy, state, attempt, partId, trees });
  switch (judged.kind) {
    case 'refused':
      return deny(judged.refusal);
    case 'need_trees':
      return judged;
    case 'need_facts':
      return findings.facts === 'unavailable' ? deny(unavailable(asked.workspace)) : { ...judged, follow: false };
    case 'allowed':
      return yield* authorize(input, { ...own, part: part?.row }, requests, judged.operations);
  }
}

/** The open logical operation that the intent is a part of; `undefined`: the intent is one of its own. */
function partOf({ intent, asked, state }: Input): ReturnType<typeof ownOpenOperation> | undefined {
  const { logical_operation_id, session_id } = intent;
  if (logical_operation_id === undefined) return undefined;
  const own = ownOpenOperation(logical_operation_id, session_id, asked, state);
  if (!own.ok || !own.row.failed) return own;
  const { message } = own.row.failed;
  return {
    ok: false,
    refusal: {
      code: 'logical_operation_failed',
      message: `a part of ${logical_operation_id} was refused or failed (${message}); it takes no more and can only be aborted`,
    },
  };
}

/** The operations that the intent lists, or those of the blob that it names. */
function operationsOf({ intent, asked, findings }: Input): OperationRequest[] | Decision {
  const { operations_blob: blob } = intent;
  if (!blob) return intent.operations;
  const found = findings.operations;
  if (!found) return { kind: 'need_operations', blob };
  switch (found.kind) {
    case 'read':
      return [...found.operations];
    case 'malformed':
      return denied(asked, intent, { code: 'malformed_intent', message: found.message });
    case 'missing':
      return denied(asked, intent, {
        code: 'content_missing',
        message: `the blob ${blob.hash.slice(0, 12)}… that holds the operations was not uploaded in time; upload it and send a new intent`,
        retryable: true,
      });
    case 'busy':
      return denied(asked, intent, stillBusy());
    case 'unavailable':
      return denied(asked, intent, unavailable(asked.workspace));
  }
}

interface Whose {
  readonly session: SessionRow;
  readonly part: OpenedRow | undefined;
}

function* authorize(
  input: Input,
  { session, part: opened }: Whose,
  requests: readonly OperationRequest[],
  operations: AuthorizedOperation[],
): Generator<void, Decision> {
  const { intent, asked, state } = input;
  const { session_id, tool = null, reason = null, provenance = {}, logical_operation_id: opening } = intent;
  const derived = yield* duplicateIn(
    operations.map(({ request }) => request),
    intent,
    state,
  );
  if (derived) return denied(asked, intent, duplicateRefusal(derived));
  const full = opened && tooManyInAll(requests, operations, opened);
  if (full) return denied(asked, intent, full);
  if (estimateDecisionBytes(operations) > MAX_DECISION_BYTES) return denied(asked, intent, tooLarge(operations.length));
  const logical_operation_id = opening ?? asked.logicalOperationId;
  const common = { logical_operation_id, session_id, model: session.model, tool, reason, provenance };
  const part = opened ? { open: true, part: asked.part ?? opened.parts + 1 } : { open: false, part: 1 };
  const data = { ...answeredBy(asked, intent), ...common, ...part, operations };
  return contentOf(input, requests) ?? decided({ ...envelopeOf(asked, intent), type: IntentAuthorized.type, data });
}

/** The parts of an open logical operation are taken back by one plan: what one intent may reach is enough for all of them. */
function tooManyInAll(
  [first]: readonly OperationRequest[],
  operations: readonly AuthorizedOperation[],
  { paths: before }: OpenedRow,
): Refusal | undefined {
  const paths = effectsOf(operations).length;
  if (before + paths <= MAX_PATHS_PER_LOGICAL_OPERATION) return undefined;
  return {
    code: 'too_many_paths',
    message: `the logical operation changes ${before} paths so far and ${before + paths} with this part (a move counts two), at most ${MAX_PATHS_PER_LOGICAL_OPERATION} are taken; abort it, and do the work in several logical operations`,
    path: first?.path,
    action: first?.action,
  };
}

/** Content is looked for last and once: a later attempt names the same blobs. */
function contentOf({ intent, asked, findings }: Input, requests: readonly OperationRequest[]): Decision | undefined {
  const hashes = contentHashes(requests);
  if (asked.attempt > 1 || hashes.length === 0) return undefined;
  const { blobs } = findings;
  if (blobs === undefined) return { kind: 'need_blobs', hashes };
  if (blobs === 'unavailable') return denied(asked, intent, unavailable(asked.workspace));
  const absent = new Set(blobs.missing);
  const missing = hashes.find((hash) => absent.has(hash));
  return missing === undefined ? undefined : denied(asked, intent, contentMissing(requests, missing));
}

const contentHashes = (requests: readonly OperationRequest[]): BlobHash[] => [
  ...new Set(requests.flatMap((request) => ('content_hash' in request ? [request.content_hash] : []))),
];

/**
 * An id names one operation for ever; a later attempt of the same intent keeps its own. Records with derived ids (the old
 * path of a move, steps of rollbacks) are met by none: what is asked for has a minted id.
 */
function* duplicateIn(
  requests: readonly OperationRequest[],
  { intent_id }: ApplyIntent,
  state: StateView,
): Generator<void, OperationId | undefined> {
  const seen = new Set<OperationId>();
  for (const { operation_id } of requests) {
    yield;
    const spentBy = state.spentBy(operation_id);
    if (seen.has(operation_id) || (spentBy !== undefined && spentBy !== intent_id)) return operation_id;
    seen.add(operation_id);
  }
  return undefined;
}

const duplicateRefusal = (id: OperationId): Refusal => ({
  code: 'duplicate_operation_id',
  message: `${id} names another operation already; give each operation an id of its own`,
});

const noPolicy = (workspace: string): Refusal => ({
  code: 'no_policy',
  message: `${workspace} has no policy, so nothing is allowed. An operator publishes one: retrace policy publish team --workspace ${workspace}`,
});

const tooLarge = (count: number): Refusal => ({
  code: 'intent_too_large',
  message: `the ${count} paths of the intent are too long for one record (${MAX_DECISION_BYTES} bytes); split it into several intents`,
});

const staleTooOften = (): Refusal => ({
  code: 'stale_too_often',
  message: `the paths changed under ${MAX_ATTEMPTS} decisions in a row; look at them again and send a new intent`,
  retryable: true,
});

const stillBusy = (): Refusal => ({
  code: 'busy',
  message:
    'work in flight on these paths, or other large intents, did not end in time, so nothing was looked at; send a new intent',
  retryable: true,
});

export const unavailable = (workspace: string): Refusal => ({
  code: 'workspace_unavailable',
  message: `the services that hold ${workspace} do not answer; see: retrace status. Send a new intent once they do`,
  retryable: true,
});

function contentMissing(requests: readonly OperationRequest[], hash: BlobHash): Refusal {
  const operation = requests.find((candidate) => 'content_hash' in candidate && candidate.content_hash === hash);
  return {
    code: 'content_missing',
    message: `${operation?.path}: its content ${hash.slice(0, 12)}… was not uploaded in time; upload it and send a new intent`,
    path: operation?.path,
    action: operation?.action,
    retryable: true,
  };
}
