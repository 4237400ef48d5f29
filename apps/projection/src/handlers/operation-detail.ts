import { newestCompensator, type OperationEntity, withSequence } from '@retrace/read-models';

/** A record as calls show it. */
export const detailOf = ({ record, sequence, time, workspace, kind, undoneBy }: OperationEntity) => ({
  ...withSequence(record, sequence),
  sequence,
  time,
  workspace,
  kind,
  undone_by: newestCompensator(undoneBy)?.operation_id ?? null,
});
