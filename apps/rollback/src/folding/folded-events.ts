/** Of all that the log holds, rollback folds these alone. */
export const FOLDED = [
  'operation.applied',
  'operation.failed',
  'rollback.authorized',
  'rollback.completed',
  'logical_operation.aborted',
];
