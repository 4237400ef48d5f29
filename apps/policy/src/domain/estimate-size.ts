import type { AuthorizedOperation } from '@retrace/contracts';

/** Bytes of a decision, whatever its number of paths: it is held whole by everybody who reads it. */
export const MAX_DECISION_BYTES = 64 * 1024 * 1024;
/** Of an operation without its paths: ids, class, pin, decision, hashes. */
const OPERATION_BYTES = 600;

/** Estimates an authorization, at three bytes for each sign of a path. */
export const estimateDecisionBytes = (operations: readonly AuthorizedOperation[]): number =>
  operations.reduce((sum, { request, canonical, source }) => {
    const paths = [request.path, 'to' in request ? request.to : '', canonical, source?.canonical ?? ''];
    return sum + OPERATION_BYTES + paths.reduce((bytes, path) => bytes + path.length * 3, 0);
  }, 0);
