import type { QueryOperation } from '@retrace/contracts';
import { newestCompensator, type OperationEntity, withSequence } from '@retrace/read-models';
import type { Answered } from './asked.js';

/** A record as calls show it. */
export const detailOf = ({
  record,
  sequence,
  time,
  workspace,
  kind,
  undoneBy,
}: OperationEntity): Answered<typeof QueryOperation>['operations'][number] => ({
  ...withSequence(record, sequence),
  sequence,
  time,
  workspace,
  kind,
  undone_by: newestCompensator(undoneBy)?.operation_id ?? null,
});
