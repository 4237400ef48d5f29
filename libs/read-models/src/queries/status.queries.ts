import { RejectedMessageEntity } from '../entities/rejected-message.entity.js';
import type { ReadModels } from '../read-models.js';

export class StatusQueries {
  constructor(private readonly models: ReadModels) {}

  /** Messages that services passed by, in all workspaces. */
  countRejected(): Promise<number> {
    return this.models.transaction((manager) => manager.count(RejectedMessageEntity));
  }
}
