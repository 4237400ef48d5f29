import { createHash } from 'node:crypto';
import type { OpenedService, ServiceContext, ServiceDefinition } from '@retrace/messaging';
import { Logger } from '@nestjs/common';
import { CallWorkspaceFacts } from './adapters/calls/call-workspace-facts.js';
import { LmdbFoldStore } from './adapters/lmdb/lmdb-fold-store.js';
import { LmdbOperationHistory } from './adapters/lmdb/lmdb-operation-history.js';
import { LmdbOutbox } from './adapters/lmdb/lmdb-outbox.js';
import { LmdbPlanStore } from './adapters/lmdb/lmdb-plan-store.js';
import { RollbackEnvironment } from './adapters/lmdb/rollback-environment.js';
import { EventFolder } from './folding/event-folder.js';
import { logLanes } from './log-lanes.js';
import { FoldWait } from './planning/fold-wait.js';
import { PlanMaker, type PlanMakerSettings } from './planning/plan-maker.js';
import { PlanReader } from './planning/plan-reader.js';
import { OutboxPublisher } from './publishing/outbox-publisher.js';
import { RollbackModule } from './rollback.module.js';

const WAIT_MS = 5000;
const BLOB_WAIT_MS = 2000;
const MAX_PLAN_BYTES = 4 * 1024 * 1024;

/** Plans rollbacks, and runs those that policy authorized. */
export const rollbackService: ServiceDefinition = { name: 'rollback', open };

async function open(context: ServiceContext): Promise<OpenedService> {
  const environment = new RollbackEnvironment(context.dataDir, context.durability);
  const history = new LmdbOperationHistory(environment);
  const plans = new LmdbPlanStore(environment);
  const store = new LmdbFoldStore(environment, history, plans);
  const publisher = publisherOf(context, environment);
  const folder = new EventFolder(
    store,
    () => publisher.kick(),
    () => new Date().toISOString(),
  );
  const facts = new CallWorkspaceFacts(context.calls);
  const maker = new PlanMaker(history, plans, facts, new FoldWait(history, context.log), settingsOf(context));
  return {
    module: RollbackModule.with({ folder, maker, reader: new PlanReader(plans) }),
    log: logLanes(context, store, environment.positions),
    afterStart: async () => publisher.kick(),
    close: async () => {
      await publisher.close();
      await environment.close();
    },
  };
}

function publisherOf({ name, log }: ServiceContext, environment: RollbackEnvironment): OutboxPublisher {
  const logger = new Logger(name);
  return new OutboxPublisher(new LmdbOutbox(environment), log, (error, { event }) =>
    logger.warn(`${event.type} ${event.id} is not published yet: ${String(error)}`),
  );
}

/** A plan travels in one message, and the report of its rollback is one event: both must fit. */
const settingsOf = ({ connection }: ServiceContext): PlanMakerSettings => ({
  maxPlanBytes: Math.min(MAX_PLAN_BYTES, Math.floor((connection.info?.max_payload ?? MAX_PLAN_BYTES) * 0.9)),
  waitMs: WAIT_MS,
  blobWaitMs: BLOB_WAIT_MS,
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  now: () => Date.now(),
});
