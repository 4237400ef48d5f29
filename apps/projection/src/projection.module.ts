import type { EventLog } from '@retrace/event-log';
import {
  EntryQueries,
  LogQueries,
  OperationQueries,
  OutcomeQueries,
  type ReadModels,
  SessionQueries,
  StatusQueries,
  VersionQueries,
  WorkspaceQueries,
} from '@retrace/read-models';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { LaneFolds } from './folding/lane-folds.js';
import type { Progress } from './folding/progress.js';
import { FoldEventsController } from './handlers/fold-events.controller.js';
import { QueryEntryHandler } from './handlers/query-entry.handler.js';
import { QueryLogHandler } from './handlers/query-log.handler.js';
import { QueryOperationHandler } from './handlers/query-operation.handler.js';
import { QueryOutcomeHandler } from './handlers/query-outcome.handler.js';
import { QuerySessionsHandler } from './handlers/query-sessions.handler.js';
import { QueryStatusHandler } from './handlers/query-status.handler.js';
import { QueryVersionHandler } from './handlers/query-version.handler.js';
import { QueryWorkspacesHandler } from './handlers/query-workspaces.handler.js';
import { CatchUp } from './reading/catch-up.js';
import { LogStatus } from './reading/log-status.js';

export interface ProjectionParts {
  readonly models: ReadModels;
  readonly lanes: LaneFolds;
  readonly progress: Progress;
  readonly catchUp: CatchUp;
  readonly log: Pick<EventLog, 'lastSequence'>;
}

const QUERIES: Type[] = [
  EntryQueries,
  LogQueries,
  OperationQueries,
  OutcomeQueries,
  SessionQueries,
  StatusQueries,
  VersionQueries,
  WorkspaceQueries,
];

@Module({})
export class ProjectionModule {
  static with({ models, lanes, progress, catchUp, log }: ProjectionParts): DynamicModule {
    const queries: Provider[] = QUERIES.map((Queries) => ({
      provide: Queries,
      useValue: new Queries(models) as unknown,
    }));
    return {
      module: ProjectionModule,
      controllers: [
        FoldEventsController,
        QueryEntryHandler,
        QueryLogHandler,
        QueryOperationHandler,
        QueryOutcomeHandler,
        QuerySessionsHandler,
        QueryStatusHandler,
        QueryVersionHandler,
        QueryWorkspacesHandler,
      ],
      providers: [
        ...queries,
        { provide: LaneFolds, useValue: lanes },
        { provide: CatchUp, useValue: catchUp },
        { provide: LogStatus, useValue: new LogStatus(progress, log) },
      ],
    };
  }
}
