import { createHash } from 'node:crypto';
import type { OpenedService, ServiceContext, ServiceDefinition } from '@retrace/messaging';
import { Logger } from '@nestjs/common';
import { AbortRunner } from './aborting/abort-runner.js';
import { CallContents } from './adapters/calls/call-contents.js';
import { CallWorkspaceFacts } from './adapters/calls/call-workspace-facts.js';
import { LmdbFoldStore } from './adapters/lmdb/lmdb-fold-store.js';
import { LmdbOperationHistory } from './adapters/lmdb/lmdb-operation-history.js';
import { LmdbOutbox } from './adapters/lmdb/lmdb-outbox.js';
import { LmdbPlanStore } from './adapters/lmdb/lmdb-plan-store.js';
import { RollbackEnvironment } from './adapters/lmdb/rollback-environment.js';
import { EventFolder } from './folding/event-folder.js';
import { logLanes } from './log-lanes.js';
import { CallReadRules } from './adapters/calls/call-read-rules.js';
import { FoldWait } from './planning/fold-wait.js';
import { OwnContents } from './planning/own-contents.js';
import { PlanDiffer } from './planning/plan-differ.js';
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
    () => {
      publisher.kick();
      aborts.kick();
    },
    () => new Date().toISOString(),
  );
  const contents = new CallContents(context.calls);
  const facts = new CallWorkspaceFacts(context.calls);
  const wait = new FoldWait(history, context.log);
  const maker = new PlanMaker(history, plans, facts, contents, wait, settingsOf(context));
  const aborts = abortRunnerOf(context, { store, maker, folder });
  const reader = new PlanReader(plans);
  return {
    module: RollbackModule.with({
      folder,
      maker,
      reader,
      differ: new PlanDiffer(reader, contents, new OwnContents(history), new CallReadRules(context.calls)),
    }),
    log: logLanes(context, store, environment.positions),
    afterStart: async () => {
      publisher.kick();
      aborts.kick();
    },
    close: async () => {
      await aborts.close();
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

interface Aborting {
  readonly store: LmdbFoldStore;
  readonly maker: PlanMaker;
  readonly folder: EventFolder;
}

function abortRunnerOf({ name }: ServiceContext, { store, maker, folder }: Aborting): AbortRunner {
  const logger = new Logger(name);
  return new AbortRunner(
    {
      waiting: () => store.aborts(),
      plan: ({ aborted, authorization: { workspace, agent } }) => maker.forAborted(workspace, aborted, agent),
      begin: (pending, plan) => folder.planned(pending, plan, Date.now()),
      giveUp: (pending, refusal) => {
        const { aborted, authorization } = pending;
        const { plan_hash } = maker.emptyForAborted(authorization.workspace, aborted, authorization.agent);
        folder.abandoned(pending, plan_hash, refusal);
      },
    },
    (error, { aborted }) => logger.warn(`${aborted} was aborted and is not taken back yet: ${String(error)}`),
  );
}

/** What a plan says travels in one message, and so does every page of its rollback's report: both must fit. */
const settingsOf = ({ connection }: ServiceContext): PlanMakerSettings => ({
  maxPlanBytes: Math.min(MAX_PLAN_BYTES, Math.floor((connection.info?.max_payload ?? MAX_PLAN_BYTES) * 0.4)),
  waitMs: WAIT_MS,
  blobWaitMs: BLOB_WAIT_MS,
  sha256: (content) => createHash('sha256').update(content).digest('hex'),
  now: () => Date.now(),
});
