import type { BlobHash, OperationRecord } from '@retrace/contracts';
import type { Authority } from '../domain/authority.js';
import type { Recorded } from '../domain/recorded.js';
import { droppedNames } from '../applying/journal-step.js';
import type { PlannedStep } from '../applying/plan-step.js';
import type { DoneRecord, KeptContent, Outcome, PreparedRecord } from './journal-record.js';

export function preparedRecord(
  authority: Authority,
  planned: readonly PlannedStep[],
  records: readonly OperationRecord[],
): PreparedRecord {
  const { workspace, sequence, eventId } = authority;
  const steps = planned.map(({ step }) => step);
  const kept = keptOnce(planned);
  return { phase: 'prepared', workspace, sequence, eventId, authority: withoutWork(authority), steps, records, kept };
}

/** Ten thousand operations would be written twice. */
const withoutWork = (authority: Authority): Authority => ({
  ...authority,
  work: authority.work.kind === 'operation' ? { kind: 'operation', operations: [] } : { kind: 'rollback', steps: [] },
});

/** Each content once. Bytes in line win over a file in staging. */
function keptOnce(planned: readonly PlannedStep[]): KeptContent[] {
  const kept = new Map<BlobHash, KeptContent>();
  for (const one of planned)
    for (const content of one.kept)
      if (!kept.has(content.hash) || content.kind === 'inline') kept.set(content.hash, content);
  return [...kept.values()];
}

/** All is on the disk. */
export function doneRecord(record: PreparedRecord, outcome: Outcome): DoneRecord {
  const { workspace, sequence, eventId, steps, kept } = record;
  const paths = steps.map(({ path }) => path);
  return { phase: 'done', workspace, sequence, eventId, outcome, kept, staged: droppedNames(steps), paths };
}

/** Nothing is on the disk. */
export function failedRecord(authority: Authority, outcome: Outcome, staged: readonly string[]): DoneRecord {
  const { workspace, sequence, eventId } = authority;
  return { phase: 'done', workspace, sequence, eventId, outcome, kept: [], staged, paths: [] };
}

/** The rows that the paths have from now on; the sequence comes with the log's answer. */
export function recordedBy(
  { authority: { agent, sessionId }, steps }: PreparedRecord,
  records: readonly OperationRecord[],
): Map<string, Recorded> {
  const stored = new Map(steps.map((step) => [step.path, step.stored]));
  return new Map(
    records.map((record) => [
      record.path.canonical,
      {
        state: record.state_snapshot_after.state,
        sequence: null,
        operationId: record.operation_id,
        sessionId,
        agent,
        ...(stored.get(record.path.canonical) === true && { stored: true }),
        ...(record.moved_to !== null && record.part_of !== null && { movedBy: record.part_of }),
      },
    ]),
  );
}
