import type { EventLog } from '@retrace/event-log';
import {
  EntryQueries,
  HistoryQueries,
  type LiveReadModels,
  LogQueries,
  OperationQueries,
  OutcomeQueries,
  SessionQueries,
  StatusQueries,
  VersionQueries,
  WorkspaceQueries,
} from '@retrace/read-models';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import type { Progress } from './folding/progress.js';
import { QueryEntryHandler } from './handlers/query-entry.handler.js';
import { QueryHistoryHandler } from './handlers/query-history.handler.js';
import { QueryLogHandler } from './handlers/query-log.handler.js';
import { QueryOperationHandler } from './handlers/query-operation.handler.js';
import { QueryOutcomeHandler } from './handlers/query-outcome.handler.js';
import { QueryRebuildHandler } from './handlers/query-rebuild.handler.js';
import { QuerySessionsHandler } from './handlers/query-sessions.handler.js';
import { QueryStatusHandler } from './handlers/query-status.handler.js';
import { QueryVersionHandler } from './handlers/query-version.handler.js';
import { QueryWorkspacesHandler } from './handlers/query-workspaces.handler.js';
import { CatchUp } from './reading/catch-up.js';
import { LogFollower } from './reading/log-follower.js';
import { LogStatus } from './reading/log-status.js';
import { Rebuild } from './rebuilding/rebuild.js';

export interface ProjectionParts {
  readonly models: LiveReadModels;
  readonly progress: Progress;
  readonly catchUp: CatchUp;
  readonly rebuild: Rebuild;
  readonly log: Pick<EventLog, 'lastSequence'>;
}

const QUERIES: Type[] = [
  EntryQueries,
  HistoryQueries,
  OperationQueries,
  OutcomeQueries,
  SessionQueries,
  StatusQueries,
  VersionQueries,
  WorkspaceQueries,
];

@Module({})
export class ProjectionModule {
  static with({ models, progress, catchUp, rebuild, log }: ProjectionParts): DynamicModule {
    const queries: Provider[] = QUERIES.map((Queries) => ({
      provide: Queries,
      useValue: new Queries(models) as unknown,
    }));
    return {
      module: ProjectionModule,
      controllers: [
        QueryEntryHandler,
        QueryHistoryHandler,
        QueryLogHandler,
        QueryOperationHandler,
        QueryOutcomeHandler,
        QueryRebuildHandler,
        QuerySessionsHandler,
        QueryStatusHandler,
        QueryVersionHandler,
        QueryWorkspacesHandler,
      ],
      providers: [
        ...queries,
        { provide: LogFollower, useValue: new LogFollower(new LogQueries(models), progress) },
        { provide: Rebuild, useValue: rebuild },
        { provide: CatchUp, useValue: catchUp },
        { provide: LogStatus, useValue: new LogStatus(progress, log) },
      ],
    };
  }
}
