import type { OperationId, PathState, Principal, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import { LessThanOrEqual } from 'typeorm';
import { OperationEntity } from '../entities/operation.entity.js';
import { pathKey } from '../path-key.js';
import type { ReadModelReader } from '../read-models.js';
import type { Viewer } from './viewer.js';

export interface VersionFilter {
  readonly workspace: WorkspaceName;
  readonly path: WorkspacePath;
  readonly viewer: Viewer;
  /** The state after this event. */
  readonly atSequence?: number | undefined;
  /** The state that this operation left. */
  readonly operationId?: OperationId | undefined;
}

/** A state that a path had, from `sequence` on. */
export interface RecordedVersion {
  readonly state: PathState;
  readonly sequence: number;
  readonly operationId: OperationId;
  readonly agent: Principal;
}

export class VersionQueries {
  constructor(private readonly models: ReadModelReader) {}

  /**
   * Answers the recorded state of a path: the newest where neither a sequence nor an operation is given. `undefined`:
   * none is recorded, or it is somebody else's work that the viewer does not see.
   */
  async find(filter: VersionFilter): Promise<RecordedVersion | undefined> {
    const found = await this.recorded(filter);
    if (!found || (filter.viewer !== undefined && found.agent !== filter.viewer)) return undefined;
    const { record, sequence, operationId, agent } = found;
    return { state: record.state_snapshot_after.state, sequence, operationId, agent };
  }

  private recorded({ workspace, path, atSequence, operationId }: VersionFilter): Promise<OperationEntity | null> {
    const sequence = atSequence === undefined ? {} : { sequence: LessThanOrEqual(atSequence) };
    const operation = operationId === undefined ? {} : { operationId };
    return this.models.read((manager) =>
      manager.findOne(OperationEntity, {
        where: { workspace, pathKey: pathKey(path), path, ...sequence, ...operation },
        order: { sequence: 'DESC', ordinal: 'DESC' },
      }),
    );
  }
}
