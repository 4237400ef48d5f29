import { join } from 'node:path';
import type { OpenedService, ServiceContext, ServiceDefinition } from '@retrace/messaging';
import { ReadModelFolds, ReadModels } from '@retrace/read-models';
import { JetStreamLaneEnds } from './adapters/jetstream/jetstream-lane-ends.js';
import { LaneFolds } from './folding/lane-folds.js';
import { Progress } from './folding/progress.js';
import { logLanes } from './log-lanes.js';
import { ProjectionModule } from './projection.module.js';
import { CatchUp } from './reading/catch-up.js';

/** Folds the whole log into read models and answers questions about it. Its store can be deleted at any time. */
export const projectionService: ServiceDefinition = { name: 'projection', open };

async function open(context: ServiceContext): Promise<OpenedService> {
  const models = await ReadModels.open(join(context.dataDir, 'read-models.sqlite'));
  try {
    const ends = await JetStreamLaneEnds.open(context.connection);
    const progress = new Progress();
    const lanes = await LaneFolds.open(new ReadModelFolds(models), progress);
    const catchUp = new CatchUp(progress, ends);
    return {
      module: ProjectionModule.with({ models, lanes, progress, catchUp, log: context.log }),
      log: logLanes(context.log, lanes),
      close: () => models.close(),
    };
  } catch (error) {
    await models.close();
    throw error;
  }
}
