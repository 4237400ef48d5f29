import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbFoldStore } from '../adapters/lmdb/lmdb-fold-store.js';
import { LmdbOperationHistory } from '../adapters/lmdb/lmdb-operation-history.js';
import { LmdbOutbox } from '../adapters/lmdb/lmdb-outbox.js';
import { LmdbPlanStore } from '../adapters/lmdb/lmdb-plan-store.js';
import { RollbackEnvironment } from '../adapters/lmdb/rollback-environment.js';

/** The real store in a folder of its own. `reopen` is what a restart does to it. */
export class StoreOnDisk {
  private readonly folder = mkdtempSync(join(tmpdir(), 'retrace-rollback-'));
  environment = this.open();

  get history(): LmdbOperationHistory {
    return new LmdbOperationHistory(this.environment);
  }
  get plans(): LmdbPlanStore {
    return new LmdbPlanStore(this.environment);
  }
  get folds(): LmdbFoldStore {
    return new LmdbFoldStore(this.environment, this.history, this.plans);
  }
  get outbox(): LmdbOutbox {
    return new LmdbOutbox(this.environment);
  }

  async reopen(): Promise<void> {
    await this.environment.close();
    this.environment = this.open();
  }

  async remove(): Promise<void> {
    await this.environment.close();
    rmSync(this.folder, { recursive: true });
  }

  private open(): RollbackEnvironment {
    return new RollbackEnvironment(this.folder, 'process');
  }
}
