import { type DynamicModule, Module } from '@nestjs/common';
import { EventFolder } from './folding/event-folder.js';
import { LogicalOperationAbortedHandler } from './handlers/logical-operation-aborted.handler.js';
import { OperationAppliedHandler } from './handlers/operation-applied.handler.js';
import { OperationFailedHandler } from './handlers/operation-failed.handler.js';
import { PlanDiffHandler } from './handlers/plan-diff.handler.js';
import { PlanGetHandler } from './handlers/plan-get.handler.js';
import { PlanMakeHandler } from './handlers/plan-make.handler.js';
import { PlanStepsHandler } from './handlers/plan-steps.handler.js';
import { RollbackAuthorizedHandler } from './handlers/rollback-authorized.handler.js';
import { RollbackCompletedHandler } from './handlers/rollback-completed.handler.js';
import { PlanDiffer } from './planning/plan-differ.js';
import { PlanMaker } from './planning/plan-maker.js';
import { PlanReader } from './planning/plan-reader.js';

export interface RollbackUseCases {
  readonly folder: EventFolder;
  readonly maker: PlanMaker;
  readonly reader: PlanReader;
  readonly differ: PlanDiffer;
}

@Module({})
export class RollbackModule {
  static with({ folder, maker, reader, differ }: RollbackUseCases): DynamicModule {
    return {
      module: RollbackModule,
      controllers: [
        OperationAppliedHandler,
        OperationFailedHandler,
        RollbackAuthorizedHandler,
        RollbackCompletedHandler,
        LogicalOperationAbortedHandler,
        PlanMakeHandler,
        PlanGetHandler,
        PlanStepsHandler,
        PlanDiffHandler,
      ],
      providers: [
        { provide: EventFolder, useValue: folder },
        { provide: PlanMaker, useValue: maker },
        { provide: PlanReader, useValue: reader },
        { provide: PlanDiffer, useValue: differ },
      ],
    };
  }
}
