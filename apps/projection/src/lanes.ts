import { PARTITIONS, partitionOf, type WorkspaceName } from '@retrace/contracts';

/** One lane per partition: the third token of an event's subject. */
export const LANES: readonly string[] = Array.from({ length: PARTITIONS }, (_, partition) => String(partition));

export const laneOfSubject = (subject: string): string | undefined => subject.split('.')[2];

export const laneOfWorkspace = (workspace: WorkspaceName): string => String(partitionOf(workspace));
