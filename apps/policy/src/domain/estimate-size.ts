import type { ApplyIntent, AuthorizedOperation } from '@retrace/contracts';

/** Bytes of a decision; more would have to be written as pages. */
export const MAX_DECISION_BYTES = 512 * 1024;
/** Bytes of the outcome that a decision leads to: it must fit one message. */
export const MAX_OUTCOME_BYTES = 900 * 1024;
const RECORD_BYTES = 1536;
/** As typed, canonical, and in the rollback instruction. */
const PATHS_PER_RECORD = 3;

const bytes = (text: string): number => new TextEncoder().encode(text).length;

/** Estimates `operation.applied`: each record repeats what the intent says about itself. */
export function estimateOutcomeBytes(
  { reason, provenance, tool }: Pick<ApplyIntent, 'reason' | 'provenance' | 'tool'>,
  operations: readonly AuthorizedOperation[],
): number {
  const repeated = RECORD_BYTES + bytes(JSON.stringify([reason, provenance, tool]));
  const paths = operations.map(({ request, canonical }) =>
    Math.max(bytes(JSON.stringify(request.path)), bytes(JSON.stringify(canonical))),
  );
  return paths.reduce((sum, path) => sum + repeated + PATHS_PER_RECORD * path, 0);
}

export const estimateDecisionBytes = (data: object): number => bytes(JSON.stringify(data));
