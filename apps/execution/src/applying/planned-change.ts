import type {
  DecisionReferenceSchema,
  OperationId,
  PathState,
  RecordedAction,
  WorkspacePath,
  WriteMode,
} from '@retrace/contracts';
import type { z } from 'zod';
import type { Present } from './simulated-tree.js';
import type { NewContent } from './content-source.js';

/** What the record of a change says beyond its states. */
export interface RecordParts {
  readonly typed: string;
  readonly action: RecordedAction;
  /** What stood there before; of a path for which room was made first, what that took away. */
  readonly before: Present;
  readonly decision: z.infer<typeof DecisionReferenceSchema>;
  readonly expected?: PathState | undefined;
  readonly matches?: number | null;
  readonly notes?: readonly string[];
  readonly partOf?: OperationId | undefined;
  readonly movedFrom?: WorkspacePath | undefined;
  readonly movedTo?: WorkspacePath | undefined;
  readonly copiedFrom?: WorkspacePath | undefined;
  readonly compensates?: readonly OperationId[];
}

/** One path's change. */
export interface PlannedChange {
  readonly operationId: OperationId;
  readonly path: WorkspacePath;
  readonly from: Present;
  readonly to: PathState;
  readonly writeMode?: WriteMode | undefined;
  /** Absent: fetched by hash from the blob store. */
  readonly content?: NewContent | undefined;
  /** The object goes to, or comes from, that path by way of staging; the other half is a change of its own. */
  readonly moved?: Transfer | undefined;
  /** Absent where the change only makes room for the one after it. */
  readonly record: RecordParts | undefined;
}

export interface Transfer {
  readonly half: 'out' | 'in';
  readonly from: WorkspacePath;
  readonly to: WorkspacePath;
  /** Going out: the move that takes it away, where the change has an id of its own. */
  readonly by?: OperationId | undefined;
  /** Coming in: what comes. */
  readonly object?: Present | undefined;
}
