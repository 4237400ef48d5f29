import type { PathState } from '@retrace/contracts';
import type { Present } from './simulated-tree.js';

/** What one operation does to its path. */
export interface PlannedChange {
  readonly from: Present;
  readonly to: PathState;
  /** The new content where it was computed here; else it is fetched by hash. */
  readonly content?: Uint8Array;
  readonly matches: number | null;
  readonly notes: readonly string[];
}
