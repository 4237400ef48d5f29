import { type OpenedService, publishRejection, type ServiceContext, type ServiceDefinition } from '@retrace/messaging';
import type { ReadModelStore } from '@retrace/read-models';
import { Logger } from '@nestjs/common';
import { JetStreamLaneEnds } from './adapters/jetstream/jetstream-lane-ends.js';
import { openStore } from './configuration.js';
import { Generation, type LogAccess } from './folding/generation.js';
import { ProjectionModule } from './projection.module.js';
import { CatchUp } from './reading/catch-up.js';
import { LiveView } from './rebuilding/live-view.js';
import { Rebuild } from './rebuilding/rebuild.js';

/** Folds the whole log into read models and answers questions about it. Its store can be deleted at any time. */
export const projectionService: ServiceDefinition = { name: 'projection', open };

async function open(context: ServiceContext): Promise<OpenedService> {
  const store = await openStore(process.env, context.dataDir);
  let view: LiveView | undefined;
  const access = accessTo(context, (delivery) => view?.isNew(delivery) ?? true);
  try {
    const ends = await JetStreamLaneEnds.open(context.connection);
    view = new LiveView(await Generation.open(await store.openCurrent(), access));
    return opened(context, { ends, store, view, access });
  } catch (error) {
    await view?.current.close();
    await store.close();
    throw error;
  }
}

interface Parts {
  readonly ends: JetStreamLaneEnds;
  readonly store: ReadModelStore;
  readonly view: LiveView;
  readonly access: LogAccess;
}

function opened({ log }: ServiceContext, { ends, store, view, access }: Parts): OpenedService {
  const rebuild = new Rebuild(view, store, access, log);
  const catchUp = new CatchUp(view.progress, ends);
  return {
    module: ProjectionModule.with({ models: view.models, progress: view.progress, catchUp, rebuild, log }),
    afterStart: () => view.current.start(),
    // Followers of the log wait for up to 20 s: they are answered with what there is.
    beforeClose: () => view.progress.endWaiting(),
    settle: async () => {
      await rebuild.close();
      await view.current.stop();
    },
    close: async () => {
      await rebuild.close();
      await view.current.close();
      await store.close();
    },
  };
}

function accessTo({ connection, log, tail }: ServiceContext, isNew: (delivery: Delivery) => boolean): LogAccess {
  const logger = new Logger('projection');
  return {
    connection,
    recovered: (sequence, signal) => tail.reached(sequence, signal),
    onRejected: async (delivery, reason, error) => {
      if (isNew(delivery)) await publishRejection(log, 'projection', delivery, reason, error);
    },
    onTrouble: (where, error, delivery) => {
      const about = delivery ? ` ${delivery.message.subject} at ${delivery.position.sequence}` : '';
      logger.warn(`${where}${about}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    },
  };
}

type Delivery = Parameters<LogAccess['onRejected']>[0];
