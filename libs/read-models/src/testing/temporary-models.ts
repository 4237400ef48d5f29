import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredEvent } from '@retrace/contracts';
import { partitionOf } from '@retrace/contracts';
import { ReadModels } from '../read-models.js';
import { ReadModelFolds } from '../writing/read-model-folds.js';

export const laneOf = ({ workspace }: Pick<StoredEvent, 'workspace'>): string => String(partitionOf(workspace));

/** Read models in a file of their own, which can be closed and opened again. */
export class TemporaryModels {
  private constructor(
    private readonly folder: string,
    public models: ReadModels,
  ) {}

  static async open(): Promise<TemporaryModels> {
    const folder = await mkdtemp(join(tmpdir(), 'retrace-read-models-'));
    return new TemporaryModels(folder, await ReadModels.open(join(folder, 'read-models.sqlite')));
  }

  get folds(): ReadModelFolds {
    return new ReadModelFolds(this.models);
  }

  async foldAll(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) await this.folds.fold(laneOf(event), event);
  }

  async restart(): Promise<void> {
    await this.models.close();
    this.models = await ReadModels.open(join(this.folder, 'read-models.sqlite'));
  }

  async remove(): Promise<void> {
    await this.models.close();
    await rm(this.folder, { recursive: true });
  }
}
