import { type DynamicModule, Module } from '@nestjs/common';
import { EventFolder } from './folding/event-folder.js';
import { OperationAppliedHandler } from './handlers/operation-applied.handler.js';
import { OperationFailedHandler } from './handlers/operation-failed.handler.js';
import { PlanGetHandler } from './handlers/plan-get.handler.js';
import { PlanMakeHandler } from './handlers/plan-make.handler.js';
import { RollbackAuthorizedHandler } from './handlers/rollback-authorized.handler.js';
import { PlanMaker } from './planning/plan-maker.js';
import { PlanReader } from './planning/plan-reader.js';

export interface RollbackUseCases {
  readonly folder: EventFolder;
  readonly maker: PlanMaker;
  readonly reader: PlanReader;
}

@Module({})
export class RollbackModule {
  static with({ folder, maker, reader }: RollbackUseCases): DynamicModule {
    return {
      module: RollbackModule,
      controllers: [
        OperationAppliedHandler,
        OperationFailedHandler,
        RollbackAuthorizedHandler,
        PlanMakeHandler,
        PlanGetHandler,
      ],
      providers: [
        { provide: EventFolder, useValue: folder },
        { provide: PlanMaker, useValue: maker },
        { provide: PlanReader, useValue: reader },
      ],
    };
  }
}
