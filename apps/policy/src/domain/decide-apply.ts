import {
  type ApplyIntent,
  type AuthorizedOperation,
  type BlobHash,
  IntentAuthorized,
  MAX_PATHS_PER_LOGICAL_OPERATION,
  type OperationId,
  type OperationRequest,
} from '@retrace/contracts';
import type { DecidableIntent, Decision, DecisionInput, PolicyView, Tree } from './decision-input.js';
import { answeredBy, decided, denied, envelopeOf, type Refusal } from './decision-events.js';
import { ownOpenOperation } from './decide-open-operation.js';
import { ownActiveSession } from './decide-session.js';
import { estimateDecisionBytes, MAX_DECISION_BYTES } from './estimate-size.js';
import { judgeOperations } from './judge-operations.js';
import {
  contentMissing,
  duplicateRefusal,
  MAX_ATTEMPTS,
  noPolicy,
  staleTooOften,
  stillBusy,
  tooLarge,
  tooManyInAll,
  unavailable,
} from './apply-refusals.js';
import { type PlacedOperation, placeOperations } from './place-operations.js';
import type { OpenedRow, SessionRow } from './rows.js';
import { tooManyPaths } from './verbs/scope.js';

const NO_TREES: ReadonlyMap<string, Tree> = new Map();
type Input = DecisionInput<ApplyIntent>;

/** Decides a logical operation: session, ids, paths, rules, counts; then, for a first attempt, content. */
export function* decideApply(input: Input): Generator<void, Decision> {
  const { intent, asked } = input;
  const admitted = admit(input);
  if ('code' in admitted) return denied(asked, intent, admitted);
  const listed = operationsOf(input);
  if (!Array.isArray(listed)) return listed;
  const duplicate = yield* duplicateIn(listed, input);
  if (duplicate) return denied(asked, intent, duplicateRefusal(duplicate));
  const placed = yield* placeAll(input, listed);
  if (!Array.isArray(placed)) return placed;
  const judged = yield* judgeAll(input, admitted.policy, placed);
  return Array.isArray(judged) ? yield* authorize(input, admitted, listed, judged) : judged;
}

interface Admitted {
  readonly session: SessionRow;
  readonly part: OpenedRow | undefined;
  readonly policy: PolicyView;
}

/** Whether anything at all may be asked for here and now. */
function admit(input: Input): Admitted | Refusal {
  const { intent, asked, state } = input;
  if (asked.attempt > MAX_ATTEMPTS) return staleTooOften();
  const own = ownActiveSession(intent.session_id, asked, state);
  if (!own.ok) return own.refusal;
  const part = partOf(input);
  if (part && !part.ok) return part.refusal;
  const { policy } = state;
  return policy ? { session: own.session, part: part?.row, policy } : noPolicy(asked.workspace);
}

function* placeAll(
  { intent, asked, findings }: Input,
  requests: readonly OperationRequest[],
): Generator<void, PlacedOperation[] | Decision> {
  const placed = yield* placeOperations(requests, findings);
  switch (placed.kind) {
    case 'placed':
      return placed.operations;
    case 'refused':
      return denied(asked, intent, placed.refusal);
    case 'need_facts':
      return findings.facts === 'unavailable' ? denied(asked, intent, unavailable(asked.workspace)) : placed;
  }
}

function* judgeAll(
  { intent, asked, state, findings }: Input,
  policy: PolicyView,
  placed: readonly PlacedOperation[],
): Generator<void, AuthorizedOperation[] | Decision> {
  const deny = (refusal: Refusal): Decision => denied(asked, intent, refusal);
  const { trees = NO_TREES, facts } = findings;
  if (trees === 'busy') return deny(stillBusy());
  if (trees === 'unavailable') return deny(unavailable(asked.workspace));
  const large = placed.find(({ from }) => trees.get(from)?.more);
  if (large) return deny(tooManyPaths(large.request, MAX_PATHS_PER_LOGICAL_OPERATION + 1));
  const { attempt, partId } = asked;
  const judged = yield* judgeOperations(placed, { policy, state, attempt, partId, trees });
  switch (judged.kind) {
    case 'refused':
      return deny(judged.refusal);
    case 'need_trees':
      return judged;
    case 'need_facts':
      return facts === 'unavailable' ? deny(unavailable(asked.workspace)) : { ...judged, follow: false };
    case 'allowed':
      return judged.operations;
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

function* authorize(
  input: Input,
  { session, part: opened }: Admitted,
  requests: readonly OperationRequest[],
  operations: AuthorizedOperation[],
): Generator<void, Decision> {
  const { intent, asked } = input;
  const { session_id, tool = null, reason = null, provenance = {}, logical_operation_id: opening } = intent;
  const derived = yield* duplicateIn(
    operations.map(({ request }) => request),
    input,
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

/** What an intent names itself; more may be named in a blob of operations. */
export const contentsOf = (intent: DecidableIntent): BlobHash[] =>
  intent.type === 'operation.apply' ? contentHashes(intent.operations) : [];

const contentHashes = (requests: readonly OperationRequest[]): BlobHash[] => [
  ...new Set(requests.flatMap((request) => ('content_hash' in request ? [request.content_hash] : []))),
];

/**
 * An id names one operation for ever; a later attempt of the same intent keeps its own. Records with derived ids (the old
 * path of a move, steps of rollbacks) are met by none: what is asked for has a minted id.
 */
function* duplicateIn(
  requests: readonly OperationRequest[],
  { intent, asked, state }: Input,
): Generator<void, OperationId | undefined> {
  const seen = new Set<OperationId>();
  for (const { operation_id } of requests) {
    yield;
    const by = state.spentBy(operation_id);
    const own = by === undefined || (by.intent_id === intent.intent_id && by.agent === asked.principal);
    if (seen.has(operation_id) || !own) return operation_id;
    seen.add(operation_id);
  }
  return undefined;
}
