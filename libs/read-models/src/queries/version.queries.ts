import type { OperationId, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import { LessThanOrEqual } from 'typeorm';
import { FileEntity } from '../entities/file.entity.js';
import { VersionEntity } from '../entities/version.entity.js';
import type { ReadModels } from '../read-models.js';
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

export type RecordedVersion = Omit<VersionEntity, 'place'>;

export class VersionQueries {
  constructor(private readonly models: ReadModels) {}

  /**
   * Answers the recorded state of a path: the newest where neither a sequence nor an operation is given. `undefined`:
   * none is recorded, or it is somebody else's work that the viewer does not see.
   */
  async find(filter: VersionFilter): Promise<RecordedVersion | undefined> {
    const found = await this.recorded(filter);
    return filter.viewer === undefined || found?.agent === filter.viewer ? (found ?? undefined) : undefined;
  }

  private recorded({ workspace, path, atSequence, operationId }: VersionFilter): Promise<RecordedVersion | null> {
    return this.models.transaction((manager) => {
      if (operationId === undefined && atSequence === undefined)
        return manager.findOneBy(FileEntity, { workspace, path });
      const sequence = atSequence === undefined ? {} : { sequence: LessThanOrEqual(atSequence) };
      const operation = operationId === undefined ? {} : { operationId };
      return manager.findOne(VersionEntity, {
        where: { workspace, path, ...sequence, ...operation },
        order: { sequence: 'DESC', place: 'DESC' },
      });
    });
  }
}
