import {
  type AuthorizedOperation,
  type BlobHash,
  MAX_PATHS_PER_LOGICAL_OPERATION,
  type OperationId,
  type OperationRequest,
} from '@retrace/contracts';
import type { Refusal } from './decision-events.js';
import { MAX_DECISION_BYTES } from './estimate-size.js';
import { effectsOf, type OpenedRow } from './rows.js';

/** How often an intent is decided: execution sends it back where a path changed under it. */
export const MAX_ATTEMPTS = 3;

export const duplicateRefusal = (id: OperationId): Refusal => ({
  code: 'duplicate_operation_id',
  message: `${id} names another operation already; give each operation an id of its own`,
});

export const noPolicy = (workspace: string): Refusal => ({
  code: 'no_policy',
  message: `${workspace} has no policy, so nothing is allowed. An operator publishes one: retrace policy publish team --workspace ${workspace}`,
});

export const tooLarge = (count: number): Refusal => ({
  code: 'intent_too_large',
  message: `the ${count} paths of the intent are too long for one record (${MAX_DECISION_BYTES} bytes); split it into several intents`,
});

export const staleTooOften = (): Refusal => ({
  code: 'stale_too_often',
  message: `the paths changed under ${MAX_ATTEMPTS} decisions in a row; look at them again and send a new intent`,
  retryable: true,
});

export const stillBusy = (): Refusal => ({
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

export function contentMissing(requests: readonly OperationRequest[], hash: BlobHash): Refusal {
  const operation = requests.find((candidate) => 'content_hash' in candidate && candidate.content_hash === hash);
  return {
    code: 'content_missing',
    message: `${operation?.path}: its content ${hash.slice(0, 12)}… was not uploaded in time; upload it and send a new intent`,
    path: operation?.path,
    action: operation?.action,
    retryable: true,
  };
}

/** The parts of an open logical operation are taken back by one plan: what one intent may reach is enough for all of them. */
export function tooManyInAll(
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
