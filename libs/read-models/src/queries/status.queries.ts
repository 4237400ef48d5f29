import { CheckpointEntity } from '../entities/checkpoint.entity.js';
import { RejectedMessageEntity } from '../entities/rejected-message.entity.js';
import type { ReadModelReader } from '../read-models.js';

export class StatusQueries {
  constructor(private readonly models: ReadModelReader) {}

  /** Messages that services passed by, in all workspaces. */
  countRejected(): Promise<number> {
    return this.models.read((manager) => manager.count(RejectedMessageEntity));
  }

  /** Events of kinds that this version does not know, in all lanes: they were passed by. */
  async countUnknown(): Promise<number> {
    return this.models.read(async (manager) => (await manager.sum(CheckpointEntity, 'unknown')) ?? 0);
  }
}
